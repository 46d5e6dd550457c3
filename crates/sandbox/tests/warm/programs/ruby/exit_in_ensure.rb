begin
  raise "first"
ensure
  exit 5
end
