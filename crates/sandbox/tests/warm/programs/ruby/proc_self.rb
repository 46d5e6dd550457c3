p File.readlink("/proc/self/exe"), Dir.children("/proc/self/task").size, File.read("/proc/self/status")[/Threads:.*/], File.read("/proc/self/status")[/Sig(Blk|Ign|Cgt):.*/]
p File.read("/proc/self/status").scan(/^(?:Sig\w+|Shd\w+|Cap\w+|Seccomp|NoNewPrivs):.*/), File.readlink("/proc/self/cwd"), Integer(File.basename(File.readlink("/proc/self"))) == Process.pid
