import sys, io
sys.stdout = io.StringIO(); print("nowhere")
sys.__stdout__.write("there\n")
