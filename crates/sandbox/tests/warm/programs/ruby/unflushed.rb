$kept = File.open("out", "w")
$kept.write("never closed " * 100)
