"""The release, and another repository that uses it in ten lines."""

import json
import re
import shutil
import subprocess
from pathlib import Path

from life import LEAGUE, bot, check, comment, expect, harmless, log_of
from runner import Failed
from world import World, archive_names


def a_release(world):
    """A tag makes a release with a checksum."""
    version = re.search(r'^version = "(.*)"', (world.home / "Cargo.toml").read_text(), re.MULTILINE)[1]
    tag = f"v{version}"
    world.git("tag", tag)
    world.push("main", tag)
    event = world.event("push", "release", {}, world.git("rev-parse", "main"), f"refs/tags/{tag}")
    run, conclusion = world.play("release.yml", event)
    expect(run, conclusion, "success")
    archive = world.folder / "releases" / tag / f"joust-{tag}-x86_64-linux.tar.gz"
    names = archive_names(archive)
    for part in ("joust", "man/joust-run.1", "completions/joust.bash", "tournament.schema.json", "LICENSE-MIT"):
        check(f"joust-{tag}-x86_64-linux/{part}" in names, f"the release has {part}: {names}")
    check((archive.parent / (archive.name + ".sha256")).is_file(), "the checksum lies beside it")
    wrong = {**event, "ref": "refs/tags/v99.0.0", "label": "release-wrong"}
    check(world.play("release.yml", wrong)[1] == "failure", "a tag that is not the version makes no release")
    return tag


def at_home(text, tag):
    """Wherever a text says that Joust lives, here it is the organiser's; with how often it says so."""
    return re.subn(r"[\w.-]+/[\w.-]+(/\.github/workflows/\w+\.yml@)v[0-9.]+", rf"organiser/joust\g<1>{tag}", text)


def ten_lines(readme, tag):
    """The workflow that the README shows, as it stands there."""
    found = re.search(r"<!-- ten lines -->\n```yaml\n(.*?)```", readme, re.DOTALL)
    if not found:
        raise Failed("the README has no ten lines")
    lines = found[1].strip("\n").splitlines()
    check(len(lines) <= 12, f"the README promises ten lines and has {len(lines)}")
    text = "\n".join(lines)
    text, found = at_home(text, tag)
    check(found == 1, "the README calls the workflow")
    return text + "\n"


def a_contest_of_its_own(world, tag):
    """An empty repository of somebody else: `init --github`, a leaderboard, a pull request, its merge."""
    other = World(world.folder / "foreign", Path(__file__).parents[2], world.joust)
    other.commit("Joust, from which the action comes")
    other.git("tag", tag)
    other.push("main", tag)
    shutil.copytree(world.folder / "releases", other.folder / "releases")
    for path in other.home.iterdir():
        if path.name == ".git":
            continue
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def joust(*words):
        subprocess.run([str(other.joust), "--quiet", *words], cwd=other.home, check=True, capture_output=True)

    joust("init", "--github", "--author", "ann")
    for file in (other.home / ".github/workflows").iterdir():
        text, found = at_home(file.read_text(), tag)
        check(found == 1, f"{file.name} calls a workflow of Joust")
        file.write_text(text)
    other.commit("A contest")
    other.push("main")
    check(other.starts("contest.yml", "push", ["bots/starter/main.py"]), "a bot starts the leaderboard")
    run, conclusion = other.play("contest.yml", other.push_event("first"))
    expect(run, conclusion, "success")
    check((other.folder / "pages/index.html").is_file(), "the site is published")
    other.git("checkout", "--quiet", "-B", "second", "main")
    joust("bot", "new", "battlebots", "bash", "bots/second", "--author", "bob")
    pull = other.open_pull("bob", "second", "One more")
    check(other.starts("contest.yml", "pull_request", pull["changed"]), "the pull request starts the tournament")
    run, conclusion = other.play("contest.yml", pull["event"])
    expect(run, conclusion, "success")
    log = log_of(run)
    check("built from its source" not in log, "the released program has played")
    check("3 matches, 15 bouts to play" in log, "only the newcomer's matches are played: the base's results were found")
    check("`second` enters at " in log, "the summary says how it did")
    check("nobody owns '" in log, "that bots have no owner is told")
    told = comment(other, pull, run, conclusion)["body"]
    harmless(told)
    check("second" in told and "enters at" in told, f"the comment says how it did:\n{told}")
    other.merge(pull)
    run, conclusion = other.play("contest.yml", other.push_event("second"))
    expect(run, conclusion, "success")
    table = json.loads(other.query("standings", "--database", str(other.artifact(run, "database") / "results.db"), "--format", "json"))[0]
    check(table["bouts"] == 30 and len(table["rows"]) == 4, f"30 bouts of four bots, not {table['bouts']} of {len(table['rows'])}")
    return "made by `joust init`; a pull request was checked, told in a comment, merged and is in the table"


def another_repository(world, tag):
    """A repository with bots and ten lines: the released program is taken, checked, and plays."""
    text = ten_lines((world.home / "README.md").read_text(), tag)
    for name in ("bots", ".github", "crates", "migrations", "scripts"):
        shutil.rmtree(world.home / name)
    (world.home / ".github/workflows").mkdir(parents=True)
    (world.home / ".github/workflows/bots.yml").write_text(text)
    (world.home / "tournament.yaml").write_text(LEAGUE.replace("rehearsal/*", "bots/*"))
    for owner, name in [("ann", "walker"), ("bob", "waiter")]:
        bot(world, owner, name, "echo E")
    (world.home / "bots/rehearsal").rename(world.home / "all")
    shutil.rmtree(world.home / "bots")
    (world.home / "all").rename(world.home / "bots")
    world.commit("A repository of somebody else")
    world.push("main")
    check(world.starts("bots.yml", "push", ["bots/walker/main.sh"]), "a bot on the main branch starts the workflow")
    run, conclusion = world.play("bots.yml", world.push_event("elsewhere"))
    expect(run, conclusion, "success")
    world.git("checkout", "--quiet", "-B", "third", "main")
    shutil.copytree(world.home / "bots/walker", world.home / "bots/third")
    manifest = world.home / "bots/third/bot.yaml"
    manifest.write_text(manifest.read_text().replace("walker", "third"))
    pull = world.open_pull("ann", "third", "One more")
    run, conclusion = world.play("bots.yml", pull["event"])
    expect(run, conclusion, "success")
    check("third" in log_of(run) and "built from its source" not in log_of(run), "the released program has played")
    check("2 matches, 4 bouts to play" in log_of(run), "only the newcomer's matches are played")
    # No cache any more, as after a week: what the main branch's last run uploaded is taken.
    shutil.rmtree(world.folder / "caches")
    run, conclusion = world.play("bots.yml", {**pull["event"], "label": "no-cache"})
    expect(run, conclusion, "success")
    check("2 matches, 4 bouts to play" in log_of(run), "the results come from the last upload")
    archive = world.folder / "releases" / tag / f"joust-{tag}-x86_64-linux.tar.gz"
    archive.write_bytes(archive.read_bytes() + b"x")
    run, conclusion = world.play("bots.yml", {**pull["event"], "label": "tampered"})
    check(conclusion == "failure" and "checksum" in log_of(run), "a changed archive is refused")
    shutil.rmtree(world.folder / "releases")
    shutil.rmtree(world.folder / "actions")
    run, conclusion = world.play("bots.yml", {**pull["event"], "label": "source"})
    expect(run, conclusion, "success")
    check("built from its source" in log_of(run), "without a release it is built")
    return "played with the release; a changed archive refused; built where there is none"
