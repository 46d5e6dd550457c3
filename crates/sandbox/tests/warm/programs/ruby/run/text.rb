eval(ARGV.pop, TOPLEVEL_BINDING, "text", 1)
