require "weakref"
kept = "kept" * 10
p WeakRef.new(kept).weakref_alive?, ObjectSpace::WeakMap.new.size
