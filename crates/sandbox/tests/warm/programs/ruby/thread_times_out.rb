require "timeout"
begin
  Timeout.timeout(0.05) { sleep 5 }
rescue Timeout::Error => error
  p error.message
end
