reader, writer = IO.pipe
reader.close
begin
  writer.syswrite("x")
rescue Errno::EPIPE => error
  p error.message
end
