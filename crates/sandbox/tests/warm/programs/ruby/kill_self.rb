print "not flushed"
Process.kill("KILL", $$)
sleep 5
