GC.start
100_000.times { "garbage" * 3 }
p GC.count > 0, GC.stress, GC.enable, GC.disable
