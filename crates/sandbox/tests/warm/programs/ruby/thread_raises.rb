thread = Thread.new { raise "in a thread" }
begin
  thread.join
rescue => error
  p error.message, error.backtrace.first[/\d+/]
end
