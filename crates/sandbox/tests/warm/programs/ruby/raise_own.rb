class Mine < StandardError
  def message = "my words"
  def full_message(**) = "all of mine"
end
raise Mine
