import os

with open("out", "w", encoding="utf-8-sig") as file:
    file.write("ä")
print(open("out", "rb").read(), os.path.getsize("out"))
