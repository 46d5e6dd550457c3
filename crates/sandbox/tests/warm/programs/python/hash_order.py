print({"a", "b", "c", "dd", "ee"}, hash("joust"), hash(b"x"), hash((1, "a")))
