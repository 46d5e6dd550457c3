# What a bot ships as `json.py`: its own imports get it, and nobody else's.
