import sys

for line in iter(input, None):
    stones = int(line.split()[1])
    print(f"#joust rest={stones % 4} nonsense=x", file=sys.stderr, flush=True)
    print(stones % 4 or 1, flush=True)
