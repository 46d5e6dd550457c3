"""Registries of one package each, as pip and NuGet read them; prints its port and the package's hash for NuGet."""
import base64
import hashlib
import http.server
import io
import zipfile


def archive(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, text in files.items():
            out.writestr(name, text)
    return packed.getvalue()


WHEEL = archive({
    "tinylib/__init__.py": "WAY = 'E'\n",
    "tinylib-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tinylib\nVersion: 1.0\n",
    "tinylib-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tinylib-1.0.dist-info/RECORD": "",
})
PACKAGE = archive({"tiny.lib.nuspec": "<package/>", "lib/net45/Tiny.Lib.dll": "no program"})
LINK = "<a href='/files/tinylib-1.0-py3-none-any.whl'>tinylib-1.0-py3-none-any.whl</a>"


class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        base = "http://127.0.0.1:%d" % self.server.server_port
        index = '{"resources":[{"@id":"%s/flat/","@type":"PackageBaseAddress/3.0.0"}]}' % base
        found = {
            "/simple/tinylib/": ("text/html", LINK.encode()),
            "/files/tinylib-1.0-py3-none-any.whl": ("application/zip", WHEEL),
            "/v3/index.json": ("application/json", index.encode()),
            "/flat/tiny.lib/1.0.0/tiny.lib.1.0.0.nupkg": ("application/zip", PACKAGE),
        }.get(self.path)
        kind, body = found or ("text/plain", b"not here")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
print(server.server_port, base64.b64encode(hashlib.sha512(PACKAGE).digest()).decode(), flush=True)
server.serve_forever()
