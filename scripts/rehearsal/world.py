"""A GitHub of one folder: a repository, its runs, artifacts, caches, comments and pull requests."""

import fnmatch
import json
import shutil
import subprocess
import tarfile
from pathlib import Path

from runner import Failed, Run, read


class World:
    """Everything that outlives a runner."""

    def __init__(self, folder, source, joust):
        self.folder, self.joust = Path(folder), Path(joust).resolve()
        self.programs = Path(__file__).parent / "programs"
        self.repository, self.home = self.folder / "repository.git", self.folder / "home"
        self.variables = {"JOUST_LEAGUE": "bots/rehearsal.yaml", "JOUST_CI_OPTIONS": ""}
        for name, empty in [("comments.json", []), ("pulls.json", []), ("runs.json", [])]:
            self.write(name, empty)
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(self.repository)], check=True)
        subprocess.run(["git", "-C", str(self.repository), "config", "uploadpack.allowAnySHA1InWant", "true"], check=True)
        self.home.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("remote", "add", "origin", str(self.repository))
        self.fill(source)

    def fill(self, source):
        """What is committed and what is about to be, as it lies in the folder."""
        listed = subprocess.run(["git", "-C", str(source), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                check=True, capture_output=True, text=True).stdout
        for name in filter(None, listed.split("\0")):
            # Recorded games are many and play no part here.
            if "/tests/" in name or name.startswith("bots/") or not (source / name).is_file():
                continue
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, self.home / name)

    def git(self, *words):
        identity = ["-c", "user.name=Rehearsal", "-c", "user.email=rehearsal@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *identity, *words], cwd=self.home, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"git {' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def write(self, name, value):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(json.dumps(value, indent=1))

    def read(self, name):
        return json.loads((self.folder / name).read_text())

    def commit(self, title):
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--message", title)
        return self.git("rev-parse", "HEAD")

    def push(self, *refs):
        self.git("push", "--quiet", "--force", "origin", *refs)

    def next_run(self):
        runs = self.read("runs.json")
        runs.append({"id": 1000 + len(runs), "workflow": "", "conclusion": "in_progress"})
        self.write("runs.json", runs)
        return runs[-1]["id"]

    def ended(self, run, conclusion):
        runs = self.read("runs.json")
        runs[run.id - 1000].update(workflow=run.file, name=run.name, event=run.event["name"], conclusion=conclusion)
        self.write("runs.json", runs)

    def unpacked(self, ref, folder):
        if not folder.exists():
            folder.mkdir(parents=True)
            archive = subprocess.run(["git", "-C", str(self.repository), "archive", ref], check=True, capture_output=True)
            subprocess.run(["tar", "--extract", "--directory", str(folder)], input=archive.stdout, check=True)
        return folder

    def checkout_of(self, sha):
        return self.unpacked(sha, self.folder / "commits" / sha)

    def joust_repository(self, ref):
        """The repository of the action, as a runner unpacks it for others."""
        return self.unpacked(ref, self.folder / "actions" / ref)

    def play(self, file, event, inputs=None):
        """Plays a workflow; returns its run and how that ended."""
        run = Run(self, file, event, inputs)
        return run, run.play()

    def event(self, name, label, payload, sha, ref="refs/heads/main", actor="organiser"):
        return {"name": name, "label": label, "payload": payload, "sha": sha, "workflow_sha": sha, "ref": ref, "actor": actor}

    def push_event(self, label):
        return self.event("push", label, {}, self.git("rev-parse", "main"))

    def dispatch_event(self, label):
        return self.event("workflow_dispatch", label, {}, self.git("rev-parse", "main"))

    def open_pull(self, author, branch, title):
        """Commits what lies in the folder as a pull request of `author` and returns it with the event it causes."""
        head = self.commit(title)
        base = self.git("rev-parse", "main")
        self.git("checkout", "--quiet", "--detach", base)
        self.git("merge", "--quiet", "--no-ff", "--message", f"Merge {head} into {base}", head)
        merge = self.git("rev-parse", "HEAD")
        pulls = self.read("pulls.json")
        number = len(pulls) + 1
        pull = {"number": number, "state": "open", "head": {"label": f"{author}:{branch}", "sha": head}, "user": {"login": author}}
        self.write("pulls.json", [*pulls, pull])
        self.push("main", f"{merge}:refs/pull/{number}/merge", f"{head}:refs/pull/{number}/head")
        payload = {"pull_request": {"number": str(number), "base": {"sha": base}, "user": {"login": author}}}
        event = self.event("pull_request", f"pull-{number}", payload, merge, f"refs/pull/{number}/merge", author)
        changed = self.git("diff", "--name-only", base, merge).splitlines()
        self.git("checkout", "--quiet", "main")
        return {**pull, "branch": branch, "event": event, "changed": changed}

    def ended_event(self, pull, run, conclusion):
        """What GitHub tells `workflow_run` about a run of `pull`."""
        login = pull["user"]["login"]
        finished = {
            "id": str(run.id), "event": "pull_request", "conclusion": conclusion, "head_branch": pull["branch"], "head_sha": pull["head"]["sha"],
            "head_repository": {"id": "77", "owner": {"login": login}}, "html_url": f"https://github.com/organiser/league/actions/runs/{run.id}",
        }
        return self.event("workflow_run", f"comment-{pull['number']}", {"workflow_run": finished}, self.git("rev-parse", "main"))

    def merge(self, pull):
        self.git("merge", "--quiet", "--no-ff", "--message", f"Merge pull request #{pull['number']}", pull["head"]["sha"])
        pulls = self.read("pulls.json")
        pulls[pull["number"] - 1]["state"] = "closed"
        self.write("pulls.json", pulls)
        self.push("main")

    def starts(self, file, kind, changed):
        """Says whether a change of these files starts a workflow."""
        paths = read(self.checkout_of(self.git("rev-parse", "main")) / ".github/workflows" / file)["on"][kind].get("paths", ["**"])
        return any(fnmatch.fnmatch(name, path.replace("**", "*")) for name in changed for path in paths)

    def comments(self, issue):
        return [one for one in self.read("comments.json") if one["issue"] == issue]

    def artifact(self, run, name):
        return self.folder / "artifacts" / str(run.id) / name

    def query(self, *words):
        """What `joust` prints when it is asked about a database."""
        done = subprocess.run([str(self.joust), *words], cwd=self.home, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"joust {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout


def archive_names(file):
    with tarfile.open(file) as archive:
        return archive.getnames()
