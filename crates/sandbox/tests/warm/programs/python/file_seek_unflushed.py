file = open("out", "w+b")
file.write(b"0123456789")
file.seek(2)
file.write(b"xx")
