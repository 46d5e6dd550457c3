for line in iter(input, None):
    stones = int(line.split()[1])
    print(stones % 4 or 1, flush=True)
