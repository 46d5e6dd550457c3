puts "not printed"
if true
  1 +* 2
