IO.popen(["cat"], "r+") { |it| it.write("there and back"); it.close_write; p it.read }
