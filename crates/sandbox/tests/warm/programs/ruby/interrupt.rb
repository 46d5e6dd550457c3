begin
  Process.kill("INT", $$)
  sleep 5
rescue Interrupt => error
  p error.class, error.message
end
Process.kill("INT", $$)
sleep 5
