"""Local stand-ins for the actions the workflows use: artifacts, caches and pages are folders, comments a file.

Each takes the job, its `with:` and its environment, and returns its outputs and whether it went well. What a stand-in does not
know about its `with:` is an error.
"""

import json
import shutil
import subprocess
from pathlib import Path


def only(given, *names):
    strange = set(given) - set(names)
    if strange:
        raise KeyError(f"with: {', '.join(sorted(strange))}")


def checkout(job, given, _):
    only(given, "ref", "path", "fetch-depth", "persist-credentials", "repository")
    # Joust's own repository is a tag of the one there is.
    if given.get("repository", "organiser/league") not in ("organiser/league", "organiser/joust"):
        raise KeyError(f"the repository {given['repository']}")
    if given.get("persist-credentials") != "false":
        raise KeyError("a checkout keeps its credentials")
    world, folder = job.run.world, job.workspace / given.get("path", "")
    ref = given.get("ref") or job.run.event["sha"]
    depth = int(given.get("fetch-depth", "1"))
    git = ["git", "-C", str(folder)]
    folder.mkdir(parents=True, exist_ok=True)
    steps = [["init", "--quiet"], ["remote", "add", "origin", f"file://{world.repository}"],
             ["fetch", "--quiet", *([f"--depth={depth}"] if depth else []), "origin", ref],
             ["checkout", "--quiet", "--detach", "FETCH_HEAD"]]
    for step in steps:
        done = subprocess.run([*git, *step], stdout=job.log, stderr=job.log, check=False)
        if done.returncode != 0:
            return {}, False
    return {"commit": ref}, True


def artifacts(job, run=None):
    return job.run.world.folder / "artifacts" / str(run or job.run.id)


def copy_into(source, folder):
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, folder, dirs_exist_ok=True, symlinks=True)
    else:
        shutil.copy(source, folder / source.name)


def upload_artifact(job, given, _):
    only(given, "name", "path", "retention-days", "if-no-files-found")
    source, folder = job.workspace / given["path"], artifacts(job) / given["name"]
    if folder.exists():
        raise KeyError(f"the artifact {given['name']} is there already")
    if not source.exists():
        job.say(f"no files at {given['path']}")
        return {}, given.get("if-no-files-found", "warn") != "error"
    copy_into(source, folder)
    return {}, True


def download_artifact(job, given, _):
    only(given, "name", "pattern", "path", "merge-multiple", "run-id", "github-token")
    if "run-id" in given and not given.get("github-token"):
        raise KeyError("another run's artifacts need a token")
    folder = artifacts(job, given.get("run-id"))
    target = job.workspace / given.get("path", "")
    found = sorted(folder.glob(given.get("pattern") or given["name"])) if folder.is_dir() else []
    for one in found:
        copy_into(one, target if "name" in given or given.get("merge-multiple") == "true" else target / one.name)
    return {"download-path": str(target)}, bool(found) or "pattern" in given


def scopes(job):
    """A run reads the caches of its own ref and of the main branch, and writes to those of its own."""
    own = job.run.event["ref"].replace("/", "_")
    return [job.run.world.folder / "caches" / scope for scope in dict.fromkeys([own, "refs_heads_main"])]


def cache_path(job, given):
    path = Path(given["path"])
    return path if path.is_absolute() else job.workspace / path


def newest(folder, prefix):
    found = [one for one in folder.glob("*") if one.name.startswith(prefix)] if folder.is_dir() else []
    return max(found, key=lambda one: one.stat().st_mtime_ns, default=None)


def cache_restore(job, given, _=None):
    only(given, "path", "key", "restore-keys")
    exact = [folder / given["key"] for folder in scopes(job) if (folder / given["key"]).exists()]
    prefixes = given.get("restore-keys", "").split()
    near = [newest(folder, prefix) for folder in scopes(job) for prefix in prefixes]
    hit = next(iter(exact + [one for one in near if one]), None)
    if hit is None:
        return {"cache-hit": ""}, True
    target = cache_path(job, given)
    for entry in hit.iterdir():
        if (hit / ".is-file").exists():
            if entry.name != ".is-file":
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(entry, target)
        else:
            copy_into(hit, target)
            break
    job.say(f"cache: {hit.name}")
    return {"cache-hit": "true" if exact else "false", "cache-matched-key": hit.name}, True


def cache_save(job, given, _=None):
    only(given, "path", "key")
    folder, source = scopes(job)[0] / given["key"], cache_path(job, given)
    if folder.exists() or not source.exists():
        return {}, True
    copy_into(source, folder)
    if source.is_file():
        (folder / ".is-file").touch()
    return {}, True


def cache(job, given, environment):
    """Restores now; saves after the job, when that went well and the key was new."""
    outputs, is_well = cache_restore(job, given, environment)
    if outputs["cache-hit"] != "true":
        saved = {"path": given["path"], "key": given["key"]}
        job.after.append((f"save {given['key']}", lambda: job.status == "success" and cache_save(job, saved)))
    return outputs, is_well


def github_script(job, given, environment):
    only(given, "script")
    world, event = job.run.world, job.run.event
    context = {"repo": {"owner": "organiser", "repo": "league"}, "runId": job.run.id, "payload": event["payload"]}
    program = Path(__file__).parent / "github_script.js"
    call = json.dumps({"script": given["script"], "context": context, "workspace": str(job.workspace), "world": str(world.folder)})
    done = subprocess.run(["node", str(program)], input=call, text=True, stdout=job.log, stderr=job.log, check=False,
                          cwd=job.workspace, env={**job.process_environment(), **job.environment, **environment})
    return {}, done.returncode == 0


def upload_pages(job, given, _):
    only(given, "path")
    copy_into(job.workspace / given["path"], artifacts(job) / "github-pages")
    return {}, (job.workspace / given["path"]).is_dir()


def deploy_pages(job, given, _):
    only(given)
    permissions = job.job["permissions"]
    if permissions != {"pages": "write", "id-token": "write"}:
        raise KeyError("Pages ask for these two permissions and no other")
    folder = job.run.world.folder / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    copy_into(artifacts(job) / "github-pages", folder)
    return {"page_url": f"file://{folder}"}, True


ALL = {
    "actions/checkout": checkout,
    "actions/upload-artifact": upload_artifact,
    "actions/download-artifact": download_artifact,
    "actions/cache": cache,
    "actions/cache/restore": cache_restore,
    "actions/cache/save": cache_save,
    "actions/github-script": github_script,
    "actions/upload-pages-artifact": upload_pages,
    "actions/deploy-pages": deploy_pages,
}
