import multiprocessing
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as p: print(p.map(abs, [-1, -2]))
