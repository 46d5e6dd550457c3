# -*- warn_indent: true -*-
x = 1
if x = 2
  puts x
  end
