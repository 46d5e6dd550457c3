require "securerandom"
p rand.class, Random.seed.class, SecureRandom.hex(4).size, Random.new_seed == Random.new_seed, srand == srand
