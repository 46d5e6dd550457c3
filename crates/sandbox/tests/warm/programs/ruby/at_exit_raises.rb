at_exit { puts "still runs" }
at_exit { raise "in a handler" }
