require_relative "first"
module Second; end
