import pickle
class A:
    def __init__(s): s.x = 1
print(pickle.loads(pickle.dumps(A())).x, pickle.dumps(A(), 2))
