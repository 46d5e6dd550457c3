import copy
a = [1]; a.append(a); b = copy.deepcopy(a); print(b[1] is b)
