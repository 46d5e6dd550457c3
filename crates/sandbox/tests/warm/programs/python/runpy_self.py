import runpy
print(sorted(runpy.run_path("/bot/sib.py"))[:3])
