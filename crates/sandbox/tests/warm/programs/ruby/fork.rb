$stdout.sync = true
child = fork do
  puts "child #{Process.ppid == $parent}"
  exit 3
end
Process.wait(child)
p $?.exitstatus, $?.pid == child, Process.getpgrp == Process.getpgid(0)
