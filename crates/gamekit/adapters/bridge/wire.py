"""What an engine takes for its bot: forwards standard input and output to the referee.

    wire.py SOCKET SEAT
"""

import os
import select
import socket
import sys

wire = socket.socket(socket.AF_UNIX)
wire.connect(sys.argv[1])
wire.sendall(sys.argv[2].encode() + b"\n")
to = {0: wire.fileno(), wire.fileno(): 1}
while to:
    for source in select.select(list(to), [], [])[0]:
        data = os.read(source, 65536)
        if not data:
            # Either side has had enough, so the bot is over.
            sys.exit()
        while data:
            data = data[os.write(to[source], data):]
