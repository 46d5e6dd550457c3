Thread.abort_on_exception = true
Thread.new { raise IOError, "ends all" }
sleep 5
