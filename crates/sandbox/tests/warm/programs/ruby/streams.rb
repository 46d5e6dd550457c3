p STDIN.tty?, STDOUT.sync, STDERR.sync, STDIN.external_encoding, STDOUT.external_encoding, STDIN.lineno, $stdin.eof?, STDIN.fcntl(1), STDOUT.fcntl(3) & 3
p STDIN.inspect, $stdout.inspect, STDERR.stat.ftype, STDIN.stat.ftype, STDOUT.stat.ftype
