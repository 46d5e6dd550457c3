require "fiddle"
p Fiddle::Function.new(Fiddle.dlopen(nil)["getpid"], [], Fiddle::TYPE_INT).call == Process.pid
p Fiddle::Function.new(Fiddle.dlopen(nil)["gettid"], [], Fiddle::TYPE_INT).call == Process.pid
