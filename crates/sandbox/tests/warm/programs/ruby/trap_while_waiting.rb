reader, writer = IO.pipe
trap("USR2") { writer << "woken" }
Thread.new { Process.kill("USR2", Process.pid) }
p reader.readpartial(10)
