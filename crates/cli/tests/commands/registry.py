"""Registries of one package each, as pip, NuGet, npm, cargo and Go read them; prints its port and what each knows its package by."""
import base64
import hashlib
import http.server
import io
import json
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
NUGET = archive({"tiny.lib.nuspec": "<package/>", "lib/net45/Tiny.Lib.dll": "no program"})
LINK = "<a href='/files/tinylib-1.0-py3-none-any.whl'>tinylib-1.0-py3-none-any.whl</a>"
NPM = tarball({
    "package/package.json": '{"name": "tinylib", "version": "1.0.0", "main": "index.js"}\n',
    "package/index.js": "exports.WAY = 'E';\n",
})
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
INDEX = {"name": "tinylib", "vers": "1.0.0", "deps": [], "cksum": CHECKSUM, "features": {}, "yanked": False}


class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        base = "http://127.0.0.1:%d" % self.server.server_port
        services = {"resources": [{"@id": base + "/flat/", "@type": "PackageBaseAddress/3.0.0"}]}
        tarball = {"tarball": base + "/npm/tinylib.tgz", "integrity": "sha512-" + sha512(NPM)}
        versions = {"1.0.0": {"name": "tinylib", "version": "1.0.0", "dist": tarball}}
        found = {
            "/simple/tinylib/": ("text/html", LINK),
            "/files/tinylib-1.0-py3-none-any.whl": ("application/zip", WHEEL),
            "/v3/index.json": ("application/json", json.dumps(services)),
            "/flat/tiny.lib/1.0.0/tiny.lib.1.0.0.nupkg": ("application/zip", NUGET),
            "/tinylib": ("application/json", json.dumps({"name": "tinylib", "versions": versions})),
            "/npm/tinylib.tgz": ("application/gzip", NPM),
            "/index/config.json": ("application/json", json.dumps({"dl": base + "/crates"})),
            "/index/ti/ny/tinylib": ("text/plain", json.dumps(INDEX)),
            "/crates/tinylib/1.0.0/download": ("application/gzip", CRATE),
            "/tiny.example/lib/@v/list": ("text/plain", "v1.0.0\n"),
            "/tiny.example/lib/@v/v1.0.0.info": ("application/json", '{"Version": "v1.0.0"}'),
            "/tiny.example/lib/@v/v1.0.0.mod": ("text/plain", GO_MOD),
            "/tiny.example/lib/@v/v1.0.0.zip": ("application/zip", archive(GO_FILES)),
        }.get(self.path)
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
    "nuget": sha512(NUGET),
    "npm": "sha512-" + sha512(NPM),
    "cargo": CHECKSUM,
    "go": go_hash(GO_FILES),
    "go.mod": go_hash({"go.mod": GO_MOD}),
}
print(json.dumps({"port": server.server_port, "hashes": hashes}), flush=True)
server.serve_forever()
