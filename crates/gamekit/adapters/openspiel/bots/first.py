"""Plays the first legal action. Needs nothing of OpenSpiel."""

while True:
    try:
        words = input().split()
    except EOFError:
        break
    if words[:1] == ["move"]:
        legal = [input().split()[0] for _ in range(int(words[2]))]
        for _ in range(int(words[3])):
            input()
        print(legal[0], flush=True)
