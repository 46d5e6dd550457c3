while (line = STDIN.gets)
  p line
end
p $., $_
