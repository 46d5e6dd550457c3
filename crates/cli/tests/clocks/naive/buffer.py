# Keeps a buffer, acts when it has read the last line of ACTIONS, never ends a line, and
# dies of any word it does not know.
import random
import socket

HOST = "uwcs.co.uk"
PORT = 8037

s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
s.connect((HOST, PORT))
buf = ""
block, left = "", 0
while True:
    data = s.recv(1024)
    if not data:
        break
    buf += data.decode("utf-8")
    while "\n" in buf:
        line, buf = buf.split("\n", 1)
        if left > 0:
            left -= 1
        else:
            words = line.split(" ")
            block = words[0]
            if block == "INIT":
                s.send("REGISTER pybot pybot".encode())
            elif block in ("MAP", "PLAYERS", "ACTIONS", "DEAD", "SCORES"):
                left = int(words[1])
            elif block not in ("REGISTERED", "TICK", "END", "UP", "DOWN", "LEFT", "RIGHT"):
                raise Exception("what is " + line)
        if block == "ACTIONS" and left == 0:
            s.send(("ACTION " + random.choice(["UP", "DOWN", "LEFT", "RIGHT"])).encode())
            block = ""
