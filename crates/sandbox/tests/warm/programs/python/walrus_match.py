match [1, 2, 3]:
    case [a, *b] if (c := a): print(a, b, c)
