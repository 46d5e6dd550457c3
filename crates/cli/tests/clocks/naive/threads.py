# One thread reads, the other writes, and neither waits for the other: it registers again and
# again until the server accepts it, then acts all the time.
import socket
import threading
import time

sock = socket.create_connection(("uwcs.co.uk", 8037))
state = {"in": False, "over": False}


def reader():
    data = b""
    while True:
        try:
            chunk = sock.recv(4096)
        except OSError:
            break
        if not chunk:
            break
        data += chunk
        if b"REGISTERED" in data:
            state["in"] = True
    state["over"] = True


threading.Thread(target=reader, daemon=True).start()
while not state["over"]:
    try:
        sock.sendall(b"ACTION UP\r\n" if state["in"] else b"REGISTER threads secret\r\n")
    except OSError:
        break
    time.sleep(0.01)
