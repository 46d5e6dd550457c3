print "lost?"
File.write("out", "kept")
exit! 4
