require "stringio"
former, $stdout = $stdout, StringIO.new
puts "caught"
former.puts $stdout.string.inspect
