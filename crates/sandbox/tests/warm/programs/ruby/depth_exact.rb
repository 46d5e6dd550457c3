$deepest = 0
def down(n)
  $deepest = n
  down(n + 1)
end
begin
  down(0)
rescue SystemStackError
  p $deepest / 50
end
