def inner = raise(ArgumentError, "what is\nwrong")
begin
  inner
rescue => error
  raise TypeError, "outer"
end
