data = bytearray(b"abc")
view = memoryview(data)
try:
    data.extend(b"d")
except BufferError as error:
    print(error)
print(bytes(view[::-1]))
