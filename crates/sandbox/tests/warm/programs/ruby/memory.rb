text = "x" * (40 << 20)
p text.size
text = nil
GC.start
