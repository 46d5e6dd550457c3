import threading, time
def run():
    while True: time.sleep(0.01)
threading.Thread(target=run, daemon=True).start()
print("main over")
