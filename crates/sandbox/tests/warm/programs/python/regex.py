import re
print(re.findall(r"(\w)(\d)", "a1 b2"), re.sub("x", "y", "xx"), re.compile("a", re.I))
