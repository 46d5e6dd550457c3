"""Ends after every turn, as bots of Botzone do; takes one stone more each time, so it needs to be told what it said."""

turns = int(input())
said = []
for _ in range(turns - 1):
    stones = input()
    said.append(int(input()))
stones = int(input())
print(min(stones, len(said) % 3 + 1))
