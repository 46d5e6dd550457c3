p system("exit 4"), $?.exitstatus, `echo out; echo err >&2`, $?.success?
reader, writer = IO.pipe
Process.wait(spawn("echo", "through a pipe", out: writer))
writer.close
p reader.read
