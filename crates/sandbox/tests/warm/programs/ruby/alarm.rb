require "timeout"
p trap("ALRM", "IGNORE"), trap("CHLD", "DEFAULT"), trap("PIPE", "SYSTEM_DEFAULT"), trap("EXIT") { puts "bye" }, Signal.list.size
