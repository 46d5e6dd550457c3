class Integer
  alias plus +
  def +(other) = plus(other).plus(1)
end
p 1 + 1
class IO
  def puts(*) = syswrite("no puts\n")
end
$stdout.puts "x"
