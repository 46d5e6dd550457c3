GC.compact
p [1, "two", :three].to_s
