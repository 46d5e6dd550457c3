p gets, $stdin.read, ARGF.class, STDIN.read
