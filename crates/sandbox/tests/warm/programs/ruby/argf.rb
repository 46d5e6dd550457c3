begin
  p ARGF.read
rescue SystemCallError => error
  p error.message
end
