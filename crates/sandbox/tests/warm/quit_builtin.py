quit(4)
