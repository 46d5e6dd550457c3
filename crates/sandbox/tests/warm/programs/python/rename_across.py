import os
import tempfile
folder = tempfile.mkdtemp()
for name in ("a", "b"):
    os.mkdir(os.path.join(folder, name))
open(os.path.join(folder, "a", "file"), "w").write("text")
os.link(os.path.join(folder, "a", "file"), os.path.join(folder, "b", "linked"))
os.rename(os.path.join(folder, "a", "file"), os.path.join(folder, "b", "moved"))
print(sorted(os.listdir(os.path.join(folder, "b"))))
