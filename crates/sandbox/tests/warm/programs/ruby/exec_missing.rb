begin
  exec "/no/such/program"
rescue SystemCallError => error
  p error.message
end
exec "no-such-program-either"
