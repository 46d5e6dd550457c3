p (1..10).select { |n| true if (n == 3)..(n == 5) }
