p Ractor.new(5) { |n| n * 2 }.take
