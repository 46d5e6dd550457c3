"""A league's life, act by act. Every act plays the very commands of the workflow files and then looks at what they left."""

import json
import re
import shutil

from runner import Failed

LEAGUE = """\
name: Rehearsal
seed: 6
database: rehearsal.db
defaults:
  calibration: { runs: 2 }
events:
  - id: league
    game: battlebots
    bots: [rehearsal/*]
    bouts: 2
    options: { max_rounds: 8 }
"""

# Owner, name and program of the six bots that are there from the beginning.
FIRST = [
    ("ann", "walker", "echo E"),
    ("bob", "waiter", "echo NO"),
    ("cyd", "shooter", "echo 'B SE'"),
    ("dan", "climber", "echo N"),
    ("eli", "miner", "echo 'L S'"),
    ("fay", "rocket", "echo 'M NW'"),
]

# What a pull request may try in its text: to command the runner, to be Markdown, HTML, a link, a mention.
EVIL_TEXT = "</details><b>@everyone</b> [x](https://evil.example) ![y](https://evil.example/z.png) fixes #1"
EVIL_BOT = """\
echo "::error file=bots/rehearsal/walker/main.sh::owned by eve" >&2
echo "::set-output name=tier::A" >&2
printf '\\033[2J\\033]0;owned\\007' >&2
echo '%s' >&2
cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a TOKEN >&2
for n in 1 2 3 4; do sleep 60 & done
echo '| a | b |'
""" % EVIL_TEXT


def check(holds, what):
    if not holds:
        raise Failed(what)


def bot(world, owner, name, program, title=None):
    folder = world.home / "bots/rehearsal" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.yaml").write_text(f"name: {json.dumps(title or name)}\nowner: {owner}\nlanguage: bash\nentry: main.sh\n")
    (folder / "main.sh").write_text(program + "\n")


def standings(world, database):
    found = json.loads(world.query("standings", "--file", "bots/rehearsal.yaml", "--database", str(database), "--format", "json"))
    events = found if isinstance(found, list) else found["events"]
    check(len(events) == 1, f"one event, not {len(events)}")
    return events[0]


def log_of(run):
    files = [*run.folder.glob("*/log"), *run.folder.glob("*/*/log")]
    return "\n".join(file.read_text(errors="replace") for file in sorted(files))


def commands_of_strangers(run):
    """Lines by which a bot would have commanded the runner."""
    return [line for line in log_of(run).splitlines() if line.startswith("::") and "owned" in line]


def expect(run, conclusion, wanted):
    if conclusion != wanted:
        raise Failed(f"{run.file} ended as {conclusion}, not as {wanted}: see {run.folder}\n{log_of(run)[-6000:]}")


def database_of(world, run):
    return world.artifact(run, "database") / "results.db"


def begin(world):
    """Six bots on the main branch: the leaderboard is made and published."""
    (world.home / "bots").mkdir()
    (world.home / "bots/rehearsal.yaml").write_text(LEAGUE)
    for owner, name, program in FIRST:
        bot(world, owner, name, program)
    world.commit("A league of six")
    world.push("main")
    check(world.starts("leaderboard.yml", "push", ["bots/rehearsal/walker/main.sh"]), "a new bot starts the leaderboard")
    check(not world.starts("leaderboard.yml", "push", ["README.md"]), "a word in the README starts nothing")
    run, conclusion = world.play("leaderboard.yml", world.push_event("first"))
    expect(run, conclusion, "success")
    event = standings(world, database_of(world, run))
    check(event["bouts"] == 30 and len(event["rows"]) == 6, f"30 bouts of six bots, not {event['bouts']} of {len(event['rows'])}")
    page = (world.folder / "pages/index.html").read_text()
    check("Rehearsal" in page, "the site names the tournament")
    shares = [standings(world, world.artifact(run, f"shard-{n}") / f"shard-{n}.db")["bouts"] for n in (1, 2, 3, 4)]
    check(sum(shares) == 30 and all(shares), f"every shard has its share: {shares}")
    return f"30 bouts in shards of {', '.join(map(str, shares))}; a site of {sum(1 for _ in (world.folder / 'pages').rglob('*'))} files"


def tournament(world, pull, wanted):
    check(world.starts("tournament.yml", "pull_request", pull["changed"]), "the pull request starts the tournament")
    run, conclusion = world.play("tournament.yml", pull["event"])
    expect(run, conclusion, wanted)
    check(not commands_of_strangers(run), f"a bot commanded the runner: {commands_of_strangers(run)}")
    return run, conclusion


def comment(world, pull, run, conclusion):
    told, ended = world.play("comment.yml", world.ended_event(pull, run, conclusion))
    expect(told, ended, "success")
    comments = world.comments(pull["number"])
    check(len(comments) == 1, f"one comment on the pull request, not {len(comments)}")
    return comments[0]


def harmless(text):
    """Fails when a comment has any structure but ours."""
    outside = re.sub(r"^(`{3,})text\n.*?\n\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    outside = re.sub(r"\\`", " ", outside)
    outside = re.sub(r"(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)", "", outside)
    outside = re.sub(r"<sub>\[The run\]\(https://github\.com/organiser/league/actions/runs/\d+\)[^<]*</sub>", "", outside)
    outside = re.sub(r"^<!-- joust: tournament -->$", "", outside, flags=re.MULTILINE)
    outside = re.sub(r"\\[!-/:-@\[-`{-~]", " ", outside)
    outside = re.sub(r"^<details><summary>[^<]*</summary>$|^</details>$", "", outside, flags=re.MULTILINE)
    found = re.findall(r"<\w[^>]*>|\]\(|!\[|@\w|://|#\d", outside)
    check(not found, f"a comment has {found}:\n{text}")


def a_new_bot(world):
    """A pull request adds a bot: only its matches are played, and the comment says where it stands."""
    world.git("checkout", "--quiet", "-B", "newcomer", "main")
    bot(world, "gil", "newcomer", "case $RANDOM in *[0-4]) echo 'B E' ;; *) echo W ;; esac")
    pull = world.open_pull("gil", "newcomer", "Add newcomer")
    run, conclusion = tournament(world, pull, "success")
    event = standings_of_pull(world, pull, run)
    check(event["bouts"] == 42, f"30 bouts and 12 of the newcomer, not {event['bouts']}")
    text = comment(world, pull, run, conclusion)["body"]
    check("newcomer" in text, f"the comment names the bot:\n{text}")
    harmless(text)
    summary = next(run.folder.glob("report/summary.md")).read_text()
    check("newcomer" in summary, "the run's summary names the bot")
    return pull, f"42 bouts, 12 of them new; the comment has {len(text)} characters"


def standings_of_pull(world, pull, run):
    world.git("checkout", "--quiet", pull["head"]["sha"])
    event = standings(world, database_of(world, run))
    world.git("checkout", "--quiet", "main")
    return event


def a_changed_bot(world):
    """A pull request changes a bot: its old results count no more."""
    world.git("checkout", "--quiet", "-B", "faster", "main")
    bot(world, "ann", "walker", "echo S")
    pull = world.open_pull("ann", "faster", "A better walker")
    run, conclusion = tournament(world, pull, "success")
    event = standings_of_pull(world, pull, run)
    check(event["bouts"] == 30, f"ten bouts in place of ten, not {event['bouts']}")
    first = comment(world, pull, run, conclusion)
    harmless(first["body"])
    # Pushed again: the one comment is written anew.
    again = comment(world, pull, run, conclusion)
    check(again["id"] == first["id"] and again["updates"] == 1, "the second run updates the first one's comment")
    return "ten bouts in place of ten; one comment, updated"


def a_hostile_bot(world):
    """A pull request whose bot, name and upload are hostile: it is told as broken, and its text means nothing."""
    world.git("checkout", "--quiet", "-B", "evil", "main")
    bot(world, "eve", "evil", EVIL_BOT, title="[x](evil.example) <b>@everyone `#1")
    pull = world.open_pull("eve", "evil", "Trust me")
    run, conclusion = tournament(world, pull, "failure")
    text = comment(world, pull, run, conclusion)["body"]
    harmless(text)
    check("a-token-of-the-rehearsal" not in log_of(run), "no token was seen")
    # A pull request may change its own workflow and upload anything.
    forged = world.artifact(run, "summary") / "summary.md"
    forged.write_text(f"<!-- joust: tournament -->\n# @everyone\n{EVIL_TEXT}\n| a |\n|--|\n| {EVIL_TEXT} |\n```\n" + "@everyone <b> " * 9000)
    comment_of_forged = comment(world, pull, run, conclusion)
    harmless(comment_of_forged["body"])
    check(len(comment_of_forged["body"]) <= 65536 and "too long for a comment" in comment_of_forged["body"], "the comment is cut")
    forged.unlink()
    forged.symlink_to("/etc/passwd")
    check("root:" not in comment(world, pull, run, conclusion)["body"], "no file of the runner is shown")
    return "broken by its own faults; forged uploads are set anew as plain text"


def somebody_elses_bot(world):
    """A pull request touches another owner's bot: refused, nothing is played."""
    world.git("checkout", "--quiet", "-B", "theft", "main")
    bot(world, "ann", "walker", "exit 1")
    pull = world.open_pull("eve", "theft", "Small fix")
    run, conclusion = tournament(world, pull, "failure")
    text = comment(world, pull, run, conclusion)["body"]
    harmless(text)
    check("walker" in text and "eve" in text, f"the comment gives the reason:\n{text}")
    return "refused with its reason"


def a_merge(world, pull):
    """The first pull request is merged: the leaderboard goes on from where it was."""
    world.merge(pull)
    run, conclusion = world.play("leaderboard.yml", world.push_event("merged"))
    expect(run, conclusion, "success")
    event = standings(world, database_of(world, run))
    check(event["bouts"] == 42 and len(event["rows"]) == 7, f"seven bots and 42 bouts, not {event['bouts']}")
    names = " ".join(file.read_text() for file in (world.folder / "pages").rglob("*.html"))
    check("newcomer" in names, "the site has the new bot")
    return "seven bots, twelve bouts more, the site has moved"


def a_dispute(world):
    """A disputed bout is played again and amended; the verdict is a comment, the leaderboard follows."""
    last = [run for run in world.read("runs.json") if run["workflow"] == "leaderboard.yml"][-1]
    database = world.folder / "artifacts" / str(last["id"]) / "database/results.db"
    verified = json.loads(world.query("verify", "--file", "bots/rehearsal.yaml", "--database", str(database), "--format", "json"))
    bout = verified["bouts"][0]["bout"][:16]
    run, conclusion = world.play("rerun.yml", world.dispatch_event("dispute"), {"bout": bout, "times": "2", "issue": "50"})
    expect(run, conclusion, "success")
    texts = [one["body"] for one in world.comments(50)]
    check(len(texts) == 1 and bout in texts[0], f"the verdict is a comment: {texts}")
    harmless(texts[0])
    check(not (world.folder / "dispatched").exists(), "without an amendment the leaderboard stays")
    # No cache any more, as after a week: what the leaderboard uploaded is taken.
    shutil.rmtree(world.folder / "caches")
    given = {"bout": bout, "times": "1", "issue": "50", "amend": "true", "reason": f"$(touch owned) `touch owned` {EVIL_TEXT}"}
    run, conclusion = world.play("rerun.yml", world.dispatch_event("amend"), given)
    expect(run, conclusion, "success")
    check(not list(run.folder.rglob("owned")), "a reason is a text, not a command")
    check(len(world.comments(50)) == 2, "the amendment is a comment as well")
    harmless(world.comments(50)[1]["body"])
    check((world.folder / "dispatched").read_text() == "leaderboard.yml\n", "the leaderboard is made again")
    run, conclusion = world.play("leaderboard.yml", world.dispatch_event("after-dispute"))
    expect(run, conclusion, "success")
    history = world.query("history", bout, "--file", "bots/rehearsal.yaml", "--database", str(database_of(world, run)))
    check("touch owned" in history, f"the reason is in the bout's history:\n{history}")
    run, conclusion = world.play("rerun.yml", world.dispatch_event("nonsense"), {"bout": "1; touch owned", "times": "1"})
    check(conclusion == "failure" and not list(run.folder.rglob("owned")), "a bout's id is digits")
    return "repeated, amended with its reason, found again in the next leaderboard"
