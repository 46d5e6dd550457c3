import threading, time
def run():
    time.sleep(0.05); print("thread over")
threading.Thread(target=run).start()
print("main over")
