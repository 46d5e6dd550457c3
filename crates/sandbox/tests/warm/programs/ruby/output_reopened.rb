$stdout.reopen("out", "w")
puts "into a file"
