"""GitHub's expressions, as far as the workflows use them.

`${{ }}` is evaluated from a given table of contexts. Whatever the table does not have is an error, never an empty text: an
expression that the rehearsal does not know must not pass it. The one exception is GitHub's own: a step that wrote no such
output has an empty one.
"""

import hashlib
import json
import re
from pathlib import Path

TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_-]*)"
    r"|(?P<sign>\|\||&&|==|!=|!|\(|\)|\[|\]|\.|,|\*))"
)
STATUS = {"success", "failure", "always", "cancelled"}


class Unknown(Exception):
    """An expression that cannot be evaluated here."""


def tokens(source):
    at, found = 0, []
    source = source.rstrip()
    while at < len(source):
        match = TOKEN.match(source, at)
        if not match:
            raise Unknown(f"`{source}` at `{source[at:]}`")
        found.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return found + [("end", "")]


class Parser:
    """Evaluates while it parses: both sides of every operator, so that nothing unknown hides behind the other."""

    def __init__(self, source, table, status, workspace):
        self.source, self.table, self.status, self.workspace = source, table, status, workspace
        self.tokens, self.at = tokens(source), 0

    def peek(self):
        return self.tokens[self.at][1] if self.tokens[self.at][0] != "text" else None

    def take(self, expected=None):
        kind, value = self.tokens[self.at]
        if expected is not None and value != expected:
            raise Unknown(f"`{self.source}`: expected `{expected}`, found `{value}`")
        self.at += 1
        return kind, value

    def whole(self):
        value = self.either()
        self.take("")
        return value

    def either(self):
        value = self.both()
        while self.peek() == "||":
            self.take()
            other = self.both()
            value = value if truth(value) else other
        return value

    def both(self):
        value = self.equal()
        while self.peek() == "&&":
            self.take()
            other = self.equal()
            value = other if truth(value) else value
        return value

    def equal(self):
        value = self.negated()
        while self.peek() in ("==", "!="):
            _, sign = self.take()
            same = loosely(value) == loosely(self.negated())
            value = same if sign == "==" else not same
        return value

    def negated(self):
        if self.peek() == "!":
            self.take()
            return not truth(self.negated())
        return self.single()

    def single(self):
        kind, value = self.take()
        if kind == "text":
            return value[1:-1].replace("''", "'")
        if kind == "number":
            return float(value) if "." in value else int(value)
        if value == "(":
            inner = self.either()
            self.take(")")
            return inner
        if kind != "name":
            raise Unknown(f"`{self.source}` at `{value}`")
        if value in ("true", "false"):
            return value == "true"
        if value == "null":
            return None
        return self.call(value) if self.peek() == "(" else self.member(value)

    def call(self, name):
        self.take("(")
        given = []
        while self.peek() != ")":
            given.append(self.either())
            if self.peek() == ",":
                self.take()
        self.take(")")
        if name in STATUS:
            return {"always": True, "success": self.status == "success", "failure": self.status == "failure",
                    "cancelled": self.status == "cancelled"}[name]
        if name == "contains":
            return given[1] in given[0]
        if name == "startsWith":
            return str(given[0]).lower().startswith(str(given[1]).lower())
        if name == "format":
            return re.sub(r"\{(\d+)\}", lambda m: shown(given[1 + int(m[1])]), given[0])
        if name == "toJSON":
            return json.dumps(given[0])
        if name == "fromJSON":
            return json.loads(given[0])
        if name == "hashFiles":
            return self.hash_files(given)
        raise Unknown(f"`{self.source}`: no function `{name}`")

    def hash_files(self, globs):
        total = hashlib.sha256()
        for pattern in globs:
            for file in sorted(path for path in Path(self.workspace).glob(pattern) if path.is_file()):
                total.update(hashlib.sha256(file.read_bytes()).digest())
        return total.hexdigest()

    def member(self, name):
        if name not in self.table:
            raise Unknown(f"`{self.source}`: no context `{name}`")
        value, path = self.table[name], name
        while self.peek() in (".", "["):
            if self.take()[1] == ".":
                key = self.take()[1]
            else:
                key = self.either()
                self.take("]")
            path = f"{path}.{key}"
            if not isinstance(value, dict) or (key not in value and not is_output(path)):
                raise Unknown(f"`{self.source}`: the table has no `{path}`")
            value = value.get(key, "")
        return value


def is_output(path):
    return re.fullmatch(r"(steps|needs)\.[^.]+\.outputs\.[^.]+", path) is not None


def loosely(value):
    if isinstance(value, bool):
        return int(value)
    if value is None or value == "":
        return 0
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"-?\d+", value) else value.lower()
    return value


def truth(value):
    return value not in (False, None, 0, "")


def shown(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def evaluate(source, table, status="success", workspace="."):
    """Returns the value of the inside of one `${{ }}`."""
    return Parser(source, table, status, workspace).whole()


def filled(text, table, status="success", workspace="."):
    """Returns a text with every `${{ }}` in it replaced."""
    def one(match):
        return shown(evaluate(match[1], table, status, workspace))
    return re.sub(r"\$\{\{(.*?)\}\}", one, text, flags=re.DOTALL)


def condition(source, table, status, workspace="."):
    """Says whether an `if:` holds; without a word about the status it asks for success as well."""
    if source is None:
        return status == "success"
    inner = source.strip()
    if inner.startswith("${{") and inner.endswith("}}"):
        inner = inner[3:-2]
    asks = any(re.search(rf"\b{name}\s*\(", inner) for name in STATUS)
    holds = truth(evaluate(inner, table, status, workspace))
    return holds if asks else holds and status == "success"
