require_relative "second"
module First; end
