import os, csv
w = csv.writer(open(os.environ["HOME"] + "/out", "w")); w.writerow([1, "a"])
