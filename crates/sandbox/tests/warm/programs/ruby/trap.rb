trap("USR1") { puts "heard" }
trap("TERM") { puts "asked to end"; exit 9 }
Process.kill("USR1", $$)
sleep 0.01
Process.kill("TERM", $$)
sleep 5
