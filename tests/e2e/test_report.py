"""`atoll report`, `diff`, `advise` and the installed reader: their output fits a terminal, they agree with each other,
and they refuse other files."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

PROFILES = ["hashsieve", "pipeline", "master", "random", "one-thread", "nothing", "many-threads",
            "awkward", "sampled", "several", "single"]
MACHINES = ["xeon-x7550", "opteron-8x8", "knl-7210", "pu:2"]


@pytest.fixture(scope="module")
def profile(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("profiles")

    def made(name):
        path = folder / f"{name}.profile"
        if not path.exists():
            subprocess.run([build / "tests/e2e/atoll_make_profiles", name, path], check=True)
        return path

    return made


def fits(text):
    return [line for line in text.splitlines() if len(line) > 80 or line != line.rstrip()] == []


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", PROFILES)
def test_fits_a_screen_of_80_columns(atoll, profile, name, machine):
    folder, file = profile(name).parent, profile(name).name  # paths are shown in full, whatever their length
    call = {"cwd": folder, "errors": "replace"}
    report = atoll("report", file, "--machine", machine, **call).stdout
    assert fits(report)
    assert fits(atoll("diff", file, profile("pipeline").name, "--machine", machine, **call).stdout)
    if name != "awkward":  # the suggested next command is its own long command
        assert fits(atoll("advise", file, "--machine", machine, **call).stdout)
    if name != "nothing":
        order = ["node", "\nobjects", "\ncommunication", "\nnext", "\nwhat to keep in mind"]
        places = [report.index(part) for part in order]
        assert places == sorted(places)
    for part in ("slowdown: ", "dropped: ", "not seen: "):
        assert part in report


def test_samples_of_pages_tell_no_writes_and_no_lines(atoll, profile):
    report = atoll("report", profile("sampled"), "--machine", "xeon-x7550").stdout
    assert "lines by use: unknown" in report and "never written" not in report
    assert "Nodes share pages" in report and "too few samples" not in report.split("objects, by")[0]
    advice = atoll("advise", profile("sampled"), "--machine", "xeon-x7550").stdout
    assert "annotate" not in advice and "map threads" in advice


def test_help_fits(atoll):
    for verb in ("profile", "trace", "report", "diff", "advise", "run"):
        assert fits("\n".join(map(str.rstrip, atoll(verb, "--help").stdout.splitlines()))), verb


def test_the_next_commands_work(atoll, profile, tmp_path):
    shutil.copy(profile("master"), tmp_path / "my profile")
    machine = "numa:4 core:16 pu:1"  # without caches that would hold the array
    report = atoll("report", "my profile", "--machine", machine, cwd=tmp_path).stdout
    following = report[report.index("\nnext\n"):].splitlines()[2].strip()
    assert following.startswith("atoll advise 'my profile'")
    shell = {"shell": True, "cwd": tmp_path, "capture_output": True, "text": True, "timeout": 60}
    advice = subprocess.run(following.replace("atoll", str(atoll.program), 1), **shell)
    assert advice.returncode == 0, advice.stderr
    assert "atoll run --plan plan.json -- ./synthetic" in advice.stdout
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["atoll_plan"] == 1 and plan["bind_threads"] and len(plan["objects"]) == 1
    assert plan["after"]["local_share"] > 0.95 > plan["before"]["local_share"]
    assert json.loads(atoll("advise", "my profile", "--machine", machine, "--json", cwd=tmp_path).stdout) == plan


def test_what_is_well_is_left(atoll, profile):
    advice = atoll("advise", profile("one-thread")).stdout
    assert "change nothing" in advice and "\nnext" not in advice
    assert "nothing to do for a plan: it is empty" in advice


def test_nothing_recorded_has_nothing_to_compare(atoll, profile):
    assert "\nnext" not in atoll("report", profile("nothing")).stdout
    for pair in (("nothing", "pipeline"), ("pipeline", "nothing")):
        diff = atoll("diff", *map(profile, pair)).stdout
        assert "There is nothing to compare with" in diff and " %" not in diff


def test_names_cannot_drive_the_terminal(atoll, profile):
    for verb in (["report"], ["advise"], ["diff", profile("several")]):
        text = atoll(*verb, profile("several")).stdout
        assert "evil" in text
        assert not any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 for c in text), verb


def test_shows_processes_and_what_is_used_most(atoll, profile):
    report = atoll("report", profile("several"), "--machine", "xeon-x7550").stdout
    assert "3 threads of 2 processes, " in report
    table = report[report.index("\nprocesses"):].splitlines()[3:5]
    assert [line.split() for line in table] == [
        ["99", "%", "2", "100,148", "child"], ["1", "%", "1", "800", "parent"]], table
    objects = report[report.index("\nobjects"):report.index("\ncommunication")]
    assert "make_local" in objects  # it has most accesses, but they are local
    assert "make_remote_0" in objects and "make_remote_7" not in objects
    assert "stack of thread 2 of child" in objects and "atoll" not in objects.lower()
    assert "\n      0    2  " in report and "\n    2│" in report  # labels of the matrix


def test_counts_have_their_plural(atoll, profile):
    report = atoll("report", profile("single"), "--machine", "pu:1").stdout
    assert "  1 thread, 1 page, 1 access; seen for pu:1, 1 node\n" in report


def test_says_which_plan_it_wrote(atoll, profile, tmp_path):
    call = {"cwd": tmp_path}
    wrote = atoll("advise", profile("master"), "--machine", "numa:4 core:16 pu:1", "-o", "p.json", **call)
    assert "\nwritten\n  p.json: places 1 object, binds 64 threads\n" in wrote.stdout
    wrote = atoll("advise", profile("one-thread"), "-o", "q.json", **call).stdout
    assert "\nwritten\n  q.json: places 0 objects, binds 0 threads\n" in wrote


@pytest.mark.parametrize("name", ["hashsieve", "random", "many-threads"])
def test_json_agrees_with_the_reader(atoll, profile, source, name):
    """Two readers of the file, `atoll` and atoll_profile.py, give the same numbers."""
    report = atoll.json("report", profile(name), "--machine", "xeon-x7550")
    reader = source / "tools/atoll_profile.py"

    def rows(sql):
        done = subprocess.run([sys.executable, reader, profile(name), sql], capture_output=True,
                              text=True, check=True)
        return [tuple(map(int, line.split("\t"))) for line in done.stdout.splitlines()[1:]]

    assert rows("SELECT count(*) FROM first_touch") == [(report["pages"],)]
    by_object = {row[0]: row[1:] for row in rows(
        "SELECT object, sum(reads), sum(writes), count(DISTINCT page), count(DISTINCT thread) "
        "FROM pages GROUP BY object")}
    assert by_object == {o["id"]: (o["reads"], o["writes"], o["pages"], o["threads"])
                         for o in report["objects"]}
    nodes = report["nodes_of_threads"]
    pages = [0] * len(report["nodes"])
    for thread, count in rows("SELECT thread, count(*) FROM first_touch GROUP BY thread"):
        pages[nodes[thread]] += count
    assert pages == report["balance"]["pages"]
    counts = {}
    for page, thread, accesses in rows(
            "SELECT page, thread, sum(reads + writes) FROM pages GROUP BY page, thread"):
        counts.setdefault(page, [0] * len(pages))[nodes[thread]] += accesses
    highest = sum(map(max, counts.values()))
    assert report["accesses"] == sum(map(sum, counts.values()))
    assert report["exclusivity"] == pytest.approx(highest / report["accesses"])
    locality = {row["mapping"]: row for row in report["what_if"]}["locality"]
    assert locality["local_share"] == pytest.approx(highest / report["accesses"])


def test_the_reader_refuses_what_is_no_profile(source, tmp_path):
    (tmp_path / "text").write_text("no database, but long enough to look at " * 20)
    for path in (tmp_path / "text", tmp_path / "none"):
        done = subprocess.run([sys.executable, source / "tools/atoll_profile.py", path, "SELECT 1"],
                              capture_output=True, text=True)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr


def test_diff_is_on_one_scale(atoll, profile):
    before, after = profile("hashsieve"), profile("pipeline")
    both = atoll.json("diff", before, after, "--machine", "xeon-x7550")
    one = atoll.json("report", after, "--machine", "xeon-x7550")
    assert both["before"]["exclusivity_grid"]["decades"] == \
        both["after"]["exclusivity_grid"]["decades"]
    for member in ("structure", "exclusivity", "accesses", "what_if", "communication"):
        assert both["after"][member] == one[member]


def test_another_machines_profile_is_warned_of_once(atoll, profile, made, tmp_path):
    other = tmp_path / "other"
    shutil.copy(profile("pipeline"), other)
    machine = atoll("machine", "--machine", "altix-3700", "--json").stdout
    database = sqlite3.connect(other)
    database.execute("UPDATE run SET machine = ?", [machine])
    database.commit()
    database.close()
    made.seal(other)
    for call in (["report", other], ["diff", other, other], ["advise", other]):
        assert len(atoll(*call).stderr.splitlines()) == 1, call
    assert "another machine" in atoll("report", other).stderr
    assert atoll("report", other, "--machine", "xeon-x7550").stderr == ""
    assert atoll("report", profile("pipeline")).stderr == ""


def test_bad_input_is_refused(atoll, profile, tmp_path):
    good = profile("pipeline").read_bytes()
    files = {"truncated": good[:-5000], "short": good[:40], "empty": b"", "text": b"a" * 5000}
    old = bytearray(good)
    old[60:64] = (0).to_bytes(4, "big")
    new = bytearray(good)
    new[60:64] = (9).to_bytes(4, "big")
    for name, content in {**files, "old": old, "new": new}.items():
        (tmp_path / name).write_bytes(content)
        for verb in ("report", "advise"):
            assert name in atoll.refuses(verb, tmp_path / name)
        atoll.refuses("profile", "--check", tmp_path / name)
        atoll.refuses("diff", profile("pipeline"), tmp_path / name)
    assert "version 0" in atoll.refuses("report", tmp_path / "old")
    assert "version 9" in atoll.refuses("report", tmp_path / "new")
    atoll.refuses("report", tmp_path / "none")
    atoll.refuses("report", profile("pipeline"), "--machine", "no-such-machine")
    atoll.refuses("advise", profile("pipeline"), "-o", tmp_path / "none" / "plan")


def test_a_full_disk_leaves_the_old_file_and_keeps_the_profile(atoll, tmp_path):
    mounts = subprocess.run(["unshare", "-rm", "true"], capture_output=True)
    if mounts.returncode != 0:
        pytest.skip("no file systems may be mounted here, so none can be full")
    small, kept = tmp_path / "small", tmp_path / "kept"
    small.mkdir()
    kept.mkdir()
    script = (f"mount -t tmpfs -o size=40k none {small} && echo old > {small}/p && "
              f"'{atoll.program}' profile -o {small}/p -- true; echo exit $?; "
              f"cat {small}/p; ls {small}")
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True,
                          env=dict(os.environ, TMPDIR=str(kept)), timeout=120)
    assert done.stdout == "exit 1\nold\np\n", done.stdout + done.stderr
    (file,) = kept.iterdir()
    assert f"kept in {file}" in done.stderr
    assert atoll("profile", "--check", file).stdout.endswith("right\n")


@pytest.mark.parametrize("name", ["hashsieve", "several", "sampled", "nothing"])
def test_who_has_the_traffic_adds_up(atoll, profile, name):
    path = profile(name)
    whole = atoll.json("report", path, "--machine", "xeon-x7550")
    weight = "page_uses" if name == "sampled" else "traffic"
    counted = "page_uses" if name == "sampled" else "accesses"
    local = next(row for row in whole["what_if"] if row["mapping"] == "os")["local_share"]
    for by in ("object", "function", "file", "thread", "process"):
        rows = atoll.json("report", path, "--machine", "xeon-x7550", "--by", by)["rows"]
        assert sum(row[weight] for row in rows) == whole[weight]
        if weight != counted:
            assert sum(row[counted] for row in rows) == whole[counted]
        if name == "sampled":  # the uncertainty of sampled values is unknown
            assert all(row["share"] is None and row["local_share"] is None for row in rows)
        elif rows:
            assert sum(row["share"] for row in rows) == pytest.approx(1)
            assert sum(row["share"] * row["local_share"] for row in rows) == pytest.approx(local)
        text = atoll("report", path.name, "--machine", "xeon-x7550", "--by", by, cwd=path.parent).stdout
        assert fits(text) and len(text.splitlines()) >= 2 + min(len(rows), 40)


def test_an_unknown_way_to_sum_up_is_refused(atoll, profile):
    assert "object, function, file, thread or process" in atoll.refuses(
        "report", profile("single"), "--by", "node")
