puts "one"
p __LINE__
