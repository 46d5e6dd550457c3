p Object.new.object_id, Object.constants.size, Kernel.private_methods.size, Object.private_instance_methods(false), ObjectSpace.each_object(Class).count
p main = self.inspect, Signal.trap("INT", "DEFAULT"), Thread.list.size, Thread.main.equal?(Thread.current), Thread.main.inspect
