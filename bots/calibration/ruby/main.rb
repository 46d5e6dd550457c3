# Does nothing, but reads its input as a bot would: Joust times it.
request = ARGV.last || ""
if File.directory?(request)
  Dir.children(request).each do |name|
    path = File.join(request, name)
    File.binread(path) if File.file?(path)
  end
  File.write(File.join(request, "move.txt"), "0\n")
  File.write(File.join(request, "command.txt"), "0,0,0\n")
else
  request.split("\n")
end
puts "NO"
