import os

reading, writing = os.pipe()
os.close(reading)
try:
    os.write(writing, b"x")
except BrokenPipeError as error:
    print(error)
