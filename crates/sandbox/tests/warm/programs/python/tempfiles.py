import tempfile, os
with tempfile.NamedTemporaryFile("w+", delete=True) as f: f.write("x"); f.flush(); print(os.path.getsize(f.name))
d = tempfile.TemporaryDirectory(); print(os.path.isdir(d.name))
