"""Plays a workflow file as GitHub would, on this machine.

Rules: jobs run in the order of `needs`, each in a workspace and a temporary folder of its own, as a fresh runner would;
a matrix becomes one job per combination; `run:` steps are given to bash unchanged but for their expressions; actions in
the repository are opened and their steps played; every other `uses:` must have a stand-in in `standins.py`. Environment
files (`GITHUB_ENV`, `GITHUB_OUTPUT`, `GITHUB_PATH`, `GITHUB_STEP_SUMMARY`) work as they do there.
"""

import itertools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

import standins
from expressions import Unknown, condition, filled

KNOWN_KEYS = {"name", "id", "if", "uses", "with", "run", "env", "shell", "continue-on-error", "working-directory"}


def read(file):
    """Every value as the text it was written as."""
    return yaml.load(Path(file).read_text(), Loader=yaml.BaseLoader)


class Failed(Exception):
    """A workflow that did not end as it should."""


class Run:
    """One run of one workflow."""

    def __init__(self, world, file, event, inputs=None):
        self.world, self.file, self.event = world, file, event
        self.id = world.next_run()
        source = world.checkout_of(event["workflow_sha"]) / ".github/workflows" / file
        self.workflow = read(source)
        self.inputs = self.declared_inputs("workflow_dispatch", inputs or {})
        self.results, self.log = {}, []
        self.identity = {"workflow_repository": "organiser/league", "workflow_sha": event["workflow_sha"],
                         "workflow_ref": f"organiser/league/.github/workflows/{file}@{event['ref']}"}
        self.folder = world.folder / "runs" / f"{self.id}-{file.removesuffix('.yml')}-{event['label']}"

    def declared_inputs(self, how, given):
        started = self.workflow["on"] if isinstance(self.workflow["on"], dict) else {}
        declared = (started.get(how) or {}).get("inputs", {})
        for name in given:
            if name not in declared:
                raise Failed(f"{self.file} has no input `{name}`")
        inputs = {name: given.get(name, one.get("default", "")) for name, one in declared.items()}
        return {name: (value == "true" if declared[name].get("type") == "boolean" else value) for name, value in inputs.items()}

    def table(self, extra):
        github = {
            "event": self.event["payload"], "event_name": self.event["name"], "ref": self.event["ref"], "sha": self.event["sha"],
            "token": "a-token-of-the-rehearsal", "repository": "organiser/league", "run_id": str(self.id), "run_attempt": "1",
            "actor": self.event["actor"], "action_ref": "", "action_repository": "", "workflow": self.name,
            "base_ref": "main" if self.event["name"] == "pull_request" else "", "ref_name": ref_name(self.event["ref"]),
        }
        return {"github": github, "vars": self.world.variables, "inputs": self.inputs,
                "runner": {"os": "Linux", "temp": ""}, "secrets": {"GITHUB_TOKEN": "a-token-of-the-rehearsal"}, **extra}

    @property
    def name(self):
        return self.workflow.get("name", f".github/workflows/{self.file}")

    def play(self):
        """Plays every job; returns how the run ended: `success` or `failure`."""
        conclusion = self.play_jobs()
        self.world.ended(self, conclusion)
        return conclusion

    def play_jobs(self):
        filled(self.workflow.get("concurrency", {}).get("group", ""), self.table({}))
        waiting = dict(self.workflow["jobs"])
        while waiting:
            ready = [name for name, job in waiting.items() if all(need in self.results for need in needs(job))]
            if not ready:
                raise Failed(f"{self.file}: jobs wait for each other: {', '.join(waiting)}")
            for name in ready:
                self.play_job(name, waiting.pop(name))
        ended = {result["result"] for result in self.results.values()}
        return "failure" if "failure" in ended else "success"

    def play_job(self, name, job):
        before = {need: self.results[need] for need in needs(job)}
        status = "success" if all(one["result"] == "success" for one in before.values()) else "failure"
        table = self.table({"needs": before})
        if not condition(job.get("if"), table, status):
            self.results[name] = {"result": "skipped", "outputs": {}}
            return
        filled(job.get("concurrency", {}).get("group", ""), table)
        if "uses" in job:
            self.results[name] = {"result": Called(self, name, job, table).play_jobs(), "outputs": {}}
            return
        ended = [Job(self, name, job, index, choice, table).play() for index, choice in enumerate(matrix(job))]
        self.results[name] = {"result": "failure" if "failure" in ended else "success", "outputs": {}}


class Called(Run):
    """A reusable workflow of Joust's repository, as a job of another workflow."""

    def __init__(self, caller, name, job, table):
        strange = set(job) - {"uses", "with", "permissions", "needs", "if"}
        path, ref = job["uses"].removeprefix("organiser/joust/").split("@")
        if strange or path == job["uses"].split("@")[0]:
            raise Unknown(f"{caller.file}, `{name}`: {job['uses']} {strange}")
        self.world, self.event, self.id, self.called_by = caller.world, caller.event, caller.id, caller
        self.file, self.folder = Path(path).name, caller.folder / name
        self.workflow = read(self.world.joust_repository(ref) / path)
        if "workflow_call" not in self.workflow["on"]:
            raise Failed(f"{self.file} cannot be called")
        given = {key: filled(value, table) for key, value in job.get("with", {}).items()}
        self.inputs = self.declared_inputs("workflow_call", given)
        self.results, self.log = {}, []
        self.identity = {"workflow_repository": "organiser/joust", "workflow_sha": self.world.git("rev-parse", ref),
                         "workflow_ref": f"organiser/joust/{path}@refs/tags/{ref}"}
        self.hold_to(job.get("permissions", caller.workflow.get("permissions", {})))

    @property
    def name(self):
        return self.called_by.name

    def hold_to(self, granted):
        """A called workflow may not ask for more than its caller has; GitHub refuses to start it."""
        for name, job in self.workflow["jobs"].items():
            asked = job.get("permissions", self.workflow["permissions"])
            if not set(asked.items()) <= set(granted.items()):
                raise Failed(f"{self.file}, {name} asks for {asked}, its caller has {granted}")


def ref_name(ref):
    return ref.split("/", 2)[-1]


def needs(job):
    need = job.get("needs", [])
    return [need] if isinstance(need, str) else need


def matrix(job):
    axes = job.get("strategy", {}).get("matrix", {})
    if {"include", "exclude"} & set(axes):
        raise Unknown("`include` and `exclude` of a matrix")
    return [dict(zip(axes, values)) for values in itertools.product(*axes.values())]


class Job:
    """One job on one fresh runner."""

    def __init__(self, run, name, job, index, choice, table):
        self.run, self.name, self.job = run, name, job
        self.folder = run.folder / (name if not choice else f"{name}-{'-'.join(choice.values())}")
        self.workspace, self.temp = self.folder / "workspace", self.folder / "temp"
        for folder in (self.workspace, self.temp, self.folder / "home"):
            folder.mkdir(parents=True)
        self.steps, self.after, self.status = {}, [], "success"
        self.table = {**table, "matrix": choice, "steps": self.steps, "strategy": {"job-index": str(index)}, "job": run.identity,
                      "runner": {"os": "Linux", "temp": str(self.temp)}, "github": {**table["github"], "job": name, "workspace": str(self.workspace)}}
        self.environment = {}
        self.summary = self.folder / "summary.md"
        self.summary.touch()
        self.path = []
        self.log = (self.folder / "log").open("w")

    def play(self):
        for place in (self.run.workflow, self.job):
            for key, value in (place.get("env") or {}).items():
                self.environment[key] = filled(value, self.full_table())
        filled(self.job.get("environment", {}).get("name", ""), self.full_table())
        for step in self.job["steps"]:
            self.play_step(step, self.full_table(), self.steps, None)
        for name, action in reversed(self.after):
            self.say(f"## after: {name}")
            action()
        self.log.close()
        # It goes with its runner; the program alone would be gigabytes over all jobs.
        remove(self.temp)
        return self.status

    def full_table(self):
        return {**self.table, "env": self.environment}

    def say(self, text):
        self.log.write(text + "\n")
        self.log.flush()

    def play_step(self, step, table, steps, action_path):
        name = step.get("name") or step.get("uses") or step["run"].splitlines()[0]
        strange = set(step) - KNOWN_KEYS
        if strange:
            raise Unknown(f"{self.run.file}, `{name}`: {', '.join(strange)}")
        if not condition(step.get("if"), table, self.status, self.workspace):
            self.say(f"## {name}: skipped")
            if "id" in step:
                steps[step["id"]] = {"outcome": "skipped", "outputs": {}}
            return
        began = time.monotonic()
        self.say(f"## {name}")
        environment = {key: filled(value, table, self.status, self.workspace) for key, value in (step.get("env") or {}).items()}
        table = {**table, "env": {**self.environment, **environment}}
        outputs, is_well = self.do(step, table, environment, action_path)
        if "id" in step:
            steps[step["id"]] = {"outcome": "success" if is_well else "failure", "outputs": outputs}
        self.say(f"## {name}: {'done' if is_well else 'FAILED'} after {time.monotonic() - began:.1f} s")
        if not is_well and step.get("continue-on-error", "false") != "true":
            self.status = "failure"

    def do(self, step, table, environment, action_path):
        if "run" in step:
            return self.shell(step, table, environment, action_path)
        given = {key: filled(value, table, self.status, self.workspace) for key, value in (step.get("with") or {}).items()}
        uses = step["uses"]
        if uses.startswith("./"):
            return self.composite(self.workspace / uses, given, environment, {})
        if uses.startswith("organiser/joust/"):
            path, ref = uses.removeprefix("organiser/joust/").split("@")
            source = self.run.world.joust_repository(ref)
            return self.composite(source / path, given, environment, {"action_ref": ref, "action_repository": "organiser/joust"})
        if "#" in uses or "@" not in uses:
            raise Unknown(f"`uses: {uses}`")
        stand_in = standins.ALL.get(uses.split("@")[0])
        if stand_in is None:
            raise Unknown(f"`uses: {uses}` has no stand-in")
        return stand_in(self, given, environment)

    def composite(self, folder, given, environment, github):
        action = read(folder / "action.yml")
        declared = action.get("inputs", {})
        for key in given:
            if key not in declared:
                raise Failed(f"the action has no input `{key}`")
        inputs = {key: given.get(key, one.get("default", "")) for key, one in declared.items()}
        inner = {}
        table = {**self.full_table(), "inputs": inputs, "steps": inner, "github": {**self.table["github"], **github}}
        began = self.status
        for step in action["runs"]["steps"]:
            self.play_step(step, {**table, "env": {**self.environment, **environment}}, inner, folder)
        outputs = {key: filled(one["value"], {**table, "steps": inner}) if self.status == "success" else "" for key, one in action.get("outputs", {}).items()}
        is_well = self.status == "success"
        self.status = began
        return outputs, is_well

    def shell(self, step, table, environment, action_path):
        script = self.folder / "step.sh"
        script.write_text(filled(step["run"], table, self.status, self.workspace))
        files = {name: self.folder / name.lower() for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("")
        # `bash` is what a step without a shell gets as well, there without pipefail.
        bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail"] if step.get("shell") else ["bash", "-e"]
        given = {**self.process_environment(), **self.environment, **environment,
                 **{name: str(file) for name, file in files.items()}}
        if action_path:
            given["GITHUB_ACTION_PATH"] = str(action_path)
        ended = subprocess.run([*bash, str(script)], cwd=self.workspace, env=given, stdin=subprocess.DEVNULL,
                               stdout=self.log, stderr=subprocess.STDOUT, check=False)
        self.environment.update(pairs(files["GITHUB_ENV"]))
        self.path = [line for line in files["GITHUB_PATH"].read_text().splitlines() if line] + self.path
        return pairs(files["GITHUB_OUTPUT"]), ended.returncode == 0

    def process_environment(self):
        world = self.run.world
        path = [*self.path, str(world.programs), os.environ["PATH"]]
        event = self.run.event
        return {
            "PATH": ":".join(path), "HOME": os.environ.get("HOME", "/root"), "LANG": "C.UTF-8", "CI": "true", "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace), "GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_REPOSITORY": "organiser/league",
            "GITHUB_RUN_ID": str(self.run.id), "GITHUB_SHA": event["sha"], "GITHUB_REF": event["ref"],
            "GITHUB_REF_NAME": ref_name(event["ref"]), "GITHUB_EVENT_NAME": event["name"], "GITHUB_JOB": self.name,
            "RUNNER_TEMP": str(self.temp), "RUNNER_OS": "Linux", "GIT_CONFIG_GLOBAL": str(self.folder / "home/gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1", "REHEARSAL": str(world.folder), "JOUST": str(world.joust), "TMPDIR": str(self.temp),
        }


def pairs(file):
    """The lines `name=value` of an environment file."""
    found = {}
    for line in file.read_text().splitlines():
        key, sign, value = line.partition("=")
        if not sign or "<<" in key:
            raise Unknown(f"the line `{line}` of an environment file")
        found[key] = value
    return found


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)


def fail(text):
    print(f"rehearse: {text}", file=sys.stderr)
