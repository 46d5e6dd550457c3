"""Stays for its bout, as bots of Botzone may; leaves a multiple of four stones where it can."""

KEEP = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
turns = int(input())
while True:
    try:
        stones = int(input())
    except EOFError:
        break
    print(stones % 4 or 1)
    print(KEEP, flush=True)
