import threading, sys
t = threading.Thread(target=sys.exit, args=(5,)); t.start(); t.join(); print("on")
