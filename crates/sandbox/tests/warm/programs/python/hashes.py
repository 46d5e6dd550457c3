import hashlib, zlib, base64, hmac
print(hashlib.sha256(b"x").hexdigest(), zlib.crc32(b"x"), base64.b64encode(b"x"), hmac.new(b"k", b"m", "sha1").hexdigest())
