Dir.mkdir("a")
Dir.chdir("a") { p File.basename(Dir.pwd) }
p Dir.pwd, Dir.children("."), Dir.exist?("a"), File.writable?("."), Dir.glob("*")
