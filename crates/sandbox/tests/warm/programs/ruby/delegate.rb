require "delegate"
require "forwardable"
require "singleton"
class One; include Singleton; def x = 1; end
class Two < SimpleDelegator; def y = x + 1; end
p Two.new(One.instance).y, (One.new rescue $!.class)
