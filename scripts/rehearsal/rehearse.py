"""Plays the whole life of a league on this machine; see `scripts/rehearse`."""

import shutil
import sys
import tempfile
import time
from pathlib import Path

import elsewhere
import life
from expressions import Unknown
from runner import Failed, read
from world import World


def powers(world):
    """What runs strangers' programs may read and nothing more; what may write runs none of them."""
    folder = world.home / ".github/workflows"
    for file in sorted(folder.glob("*.yml")):
        workflow = read(file)
        text = file.read_text()
        life.check("secrets." not in text, f"{file.name} uses a secret")
        life.check("permissions" in workflow, f"{file.name} does not say what it may")
        for name, job in workflow["jobs"].items():
            may = job.get("permissions", workflow["permissions"]) or {}
            writes = [key for key, value in may.items() if value == "write"]
            plays = any("actions/joust" in step.get("uses", "") for step in job.get("steps", []))
            life.check(not (writes and plays), f"{file.name}, {name}: plays bots and may write {writes}")
            life.check(not writes or file.name not in ("tournament.yml", "contest.yml"), "a pull request may write")
    return "no job both plays bots and may write"


def acts(world):
    yield "six bots", lambda: life.begin(world)
    yield "powers", lambda: powers(world)
    newcomer = []

    def new_bot():
        pull, told = life.a_new_bot(world)
        newcomer.append(pull)
        return told

    yield "a new bot", new_bot
    yield "a changed bot", lambda: life.a_changed_bot(world)
    yield "a hostile bot", lambda: life.a_hostile_bot(world)
    yield "somebody else's bot", lambda: life.somebody_elses_bot(world)
    yield "a merge", lambda: life.a_merge(world, newcomer[0])
    yield "a dispute", lambda: life.a_dispute(world)
    tag = []
    yield "a release", lambda: tag.append(elsewhere.a_release(world)) or f"{tag[0]} with its checksum"
    yield "a contest of its own", lambda: elsewhere.a_contest_of_its_own(world, tag[0])
    yield "another repository", lambda: elsewhere.another_repository(world, tag[0])


def main(joust, keep):
    folder = Path(tempfile.mkdtemp(prefix="joust-rehearsal-"))
    began = time.monotonic()
    world = World(folder, Path(__file__).parents[2], joust)
    try:
        for name, act in acts(world):
            start = time.monotonic()
            print(f"{name}: {act()} ({time.monotonic() - start:.0f} s)", flush=True)
    except (Failed, Unknown, KeyError, AssertionError) as error:
        print(f"rehearse: {name}: {type(error).__name__}: {error}\nEverything is kept in {folder}", file=sys.stderr)
        return 1
    print(f"the whole life took {time.monotonic() - began:.0f} s")
    if keep:
        print(f"everything is kept in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--keep" in sys.argv[2:]))
