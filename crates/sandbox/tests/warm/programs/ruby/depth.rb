def down(n) = down(n + 1)
begin
  down(0)
rescue SystemStackError => error
  p error.message, error.backtrace.size > 1000
end
