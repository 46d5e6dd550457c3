print "once only "
$stdout.flush
Process.wait(fork { print "child " })
puts "parent"
