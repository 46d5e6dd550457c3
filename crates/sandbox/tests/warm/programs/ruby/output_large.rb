1000.times { |n| puts "#{n} " * 60 }
