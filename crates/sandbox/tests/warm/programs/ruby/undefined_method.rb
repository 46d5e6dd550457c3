nil.nothing
