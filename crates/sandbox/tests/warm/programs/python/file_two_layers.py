import os, io, gzip
g = io.TextIOWrapper(gzip.GzipFile(os.environ["HOME"] + "/out", "wb", mtime=0)); g.write("zip")
