def self.method_missing(name, *words) = p([name, words])
hello 1, 2
