watcher = Process.detach(spawn("exit 3"))
p watcher.value.exitstatus
