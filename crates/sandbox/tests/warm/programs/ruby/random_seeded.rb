srand(42)
p rand(1000), Random.rand(1000), [1, 2, 3, 4, 5].shuffle, Random.new(7).bytes(4).bytes, Random.seed, srand(1)
