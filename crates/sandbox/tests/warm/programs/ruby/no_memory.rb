begin
  "x" * (1 << 62)
rescue ArgumentError, NoMemoryError => error
  p error.class, error.message
end
