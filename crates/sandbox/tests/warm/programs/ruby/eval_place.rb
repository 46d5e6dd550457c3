begin
  eval("raise 'inside'", binding, "made_up.rb", 70)
rescue => error
  p error.backtrace
end
eval("\n\nraise 'deeper'")
