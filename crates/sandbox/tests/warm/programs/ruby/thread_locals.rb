Thread.current[:a] = 1
Thread.current.thread_variable_set(:b, 2)
p Thread.current.keys.size, Thread.new { Thread.current[:a] }.value, Thread.current.name, Thread.current.priority, Thread.current.group == ThreadGroup::Default
