$0 = "another name"
p $0, __FILE__, File.read("/proc/self/cmdline").delete("\0").strip
