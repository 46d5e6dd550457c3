raise "no class"
