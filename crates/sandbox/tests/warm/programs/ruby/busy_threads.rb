# Threads that never wait take turns.
done = false
other = Thread.new { 100_000.times { |n| n * n }; done = true }
sum = 0
sum += 1 until done
p done, sum > 0, other.join.equal?(other)
