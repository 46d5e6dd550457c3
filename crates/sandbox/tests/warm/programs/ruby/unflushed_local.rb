file = File.open("out", "w")
file << "in a local"
ObjectSpace.define_finalizer(file, proc { STDOUT.syswrite("finalized\n") })
