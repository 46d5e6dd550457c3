import random, os, uuid, tempfile, secrets
known = os.environ["HOME"]
print(0 <= random.random() < 1, len(uuid.uuid4().hex), tempfile.gettempdir(), len(secrets.token_hex(4)))
