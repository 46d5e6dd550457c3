def mine = 1
p self.respond_to?(:mine, true), Object.private_method_defined?(:mine), respond_to?(:mine)
public def shown = 2
p 5.shown
define_method(:x) {} rescue p $!.class
