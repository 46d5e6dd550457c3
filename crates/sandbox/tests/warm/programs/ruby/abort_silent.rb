begin
  raise "cause"
rescue
  abort
end
