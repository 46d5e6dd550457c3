$stdout.close
puts "where"
