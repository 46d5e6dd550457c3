import random
random.seed(3); print(random.random(), random.choices("abc", k=5), random.Random(4).random())
