import argparse
p = argparse.ArgumentParser(); p.add_argument("arena"); print(p.parse_args()); p.parse_args(["--no"])
