require "tempfile"
Tempfile.create("x") { |file| file.write("1"); p File.exist?(file.path), File.dirname(file.path) }
file = Tempfile.new
file.write("left")
p file.path.start_with?("/")
