from concurrent.futures import ThreadPoolExecutor, ProcessPoolExecutor
with ThreadPoolExecutor(3) as e: print(list(e.map(abs, [-1, 2, -3])))
e = ThreadPoolExecutor(2); print(e.submit(pow, 2, 5).result())
