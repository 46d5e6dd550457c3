Queue.new.pop
