END { puts "at the end #{$?.inspect}" }
BEGIN { puts "at the beginning" }
puts "between"
