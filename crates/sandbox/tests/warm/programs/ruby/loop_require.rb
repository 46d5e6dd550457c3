require_relative "beside/first"
p First, Second
