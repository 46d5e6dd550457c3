numbers = Enumerator.new { |y| n = 0; loop { y << (n += 1) } }
p numbers.next, numbers.next, numbers.peek, numbers.lazy.select(&:even?).first(3)
