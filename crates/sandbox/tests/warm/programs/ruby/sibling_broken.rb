require_relative "beside/broken"
