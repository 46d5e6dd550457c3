def check(value):
    assert value > 3, f"{value} is too small"


check(2)
