Thread.new { sleep }
Thread.new { begin; sleep; ensure; STDOUT.syswrite("ensured\n"); end }
Thread.pass until Thread.list[1..].all?(&:stop?)
puts "ends"
