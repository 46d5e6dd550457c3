import json
print(json.dumps({"a": [1, 2.5, None, True, "ä"]}, sort_keys=True), json.loads("[1, {\"b\": 2}]"))
json.loads("{bad")
