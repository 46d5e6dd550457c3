fork { sleep 20 }
puts "left"
