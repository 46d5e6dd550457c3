# Does what the hostile program does, of which there is a library: `behave.py <behaviour> [argument...] <view>`.
import ctypes
import os
import sys

hostile = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile.so"), use_errno=True)
words = [b"hostile"] + [os.fsencode(word) for word in sys.argv[1:]]
sys.exit(hostile.main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)))
