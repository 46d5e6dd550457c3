puts "before"
$stdout.flush
exec "echo", "another program"
