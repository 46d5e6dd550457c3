lock = Mutex.new
lock.lock
p lock.owned?, lock.locked?
begin
  lock.lock
rescue ThreadError => error
  p error.message
end
condition = ConditionVariable.new
Thread.new { lock.synchronize { condition.signal } }
condition.wait(lock, 5)
puts "woken"
