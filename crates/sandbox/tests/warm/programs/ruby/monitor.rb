require "monitor"
monitor = Monitor.new
monitor.synchronize { monitor.synchronize { p monitor.mon_owned? } }
