module Helper
  def self.place = [__FILE__, __dir__, caller(0).first]
end
