Point = Struct.new(:x, :y, keyword_init: true)
p Point.new(x: 1, y: 2), Point.new(x: 1) == Point.new(x: 1), Comparable.instance_methods.size
case { name: "a", at: [1, 2] }
in { name: String => name, at: [x, *] }
  p name, x
end
