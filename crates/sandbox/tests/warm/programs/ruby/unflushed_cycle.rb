class Holder
  def initialize
    @file = File.open("out", "wb")
    @self = self
    @file.write("x" * 10_000)
  end
end
Holder.new
