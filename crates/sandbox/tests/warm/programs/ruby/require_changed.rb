module Kernel
  alias former_require require
  def require(name) = (print "asked for #{name}\n"; former_require(name))
end
require "ostruct"
p OpenStruct.new(a: 1)
