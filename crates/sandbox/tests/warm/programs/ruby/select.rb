p IO.select([STDIN], nil, nil, 1)&.first&.size, STDIN.read_nonblock(1, exception: false)
