printf("%05.2f|%-5s|%x\n", 3.14159, "ab", 255)
$stdout << "chained " << 1 << "\n"
putc "z"
$, = nil
print "a", "b", "\n"
