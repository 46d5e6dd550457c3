at_exit { puts "first set, last run" }
at_exit { puts "status #{$!.inspect}"; exit 7 }
at_exit { File.write("out", "written at exit") }
puts "main"
raise "an error before"
