def deeper
  yield
ensure
  puts "ensured"
end
at_exit { puts "after" }
deeper { exit 2 }
