p "text".hash == "text".hash, { b: 1, a: 2 }.to_a, 1.hash == 1.0.hash, [1, "x"].hash == [1, "x"].hash, { "a" => 1 }.compare_by_identity.key?("b")
