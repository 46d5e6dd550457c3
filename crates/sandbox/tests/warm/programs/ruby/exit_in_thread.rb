Thread.new { exit 6 }.join
sleep
