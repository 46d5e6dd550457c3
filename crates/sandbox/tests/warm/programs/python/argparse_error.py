import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, required=True)
parser.parse_args()
