at_exit { puts "exit handler" }
Process.kill("TERM", $$)
sleep 5
