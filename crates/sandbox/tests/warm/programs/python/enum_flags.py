import enum
class C(enum.Flag): A = 1; B = 2
print(C.A | C.B, list(C), repr(C.A))
