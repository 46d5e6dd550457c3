import multiprocessing
def f(q): q.put("child")
if __name__ == "__main__":
    c = multiprocessing.get_context("spawn"); q = c.Queue(); p = c.Process(target=f, args=(q,)); p.start(); print(q.get()); p.join(); print(p.exitcode)
