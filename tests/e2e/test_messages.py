"""Messages name the user's mistake; "internal error" is for faults of Atoll."""

import gzip
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

APPS = ["cloverleaf2d", "spmm", "spmv", "streamcluster", "taylor-green"]


@pytest.fixture
def strange(tmp_path):
    """Returns the path of a graph file whose name isn't UTF-8."""
    name = os.fsencode(tmp_path) + b"/\xff\xfe.graph"
    with open(name, "w") as file:
        file.write("4 3\n2\n1 3\n2 4\n3\n")
    return os.fsdecode(name)


@pytest.mark.parametrize("call", [
    ["graph", "info", "IN"], ["reorder", "IN", "-o", "OUT"], ["schedule", "IN", "-o", "OUT"],
    ["schedule", "--show", "OUT"], ["schedule", "--check", "OUT"]])
def test_names_that_are_not_utf8(atoll, strange, call):
    schedule = strange + "-out.graph"
    if "--show" in call or "--check" in call:
        subprocess.run([atoll.program, "schedule", strange, "-o", schedule], check=True, capture_output=True)
    words = [{"IN": strange, "OUT": schedule}.get(word, word) for word in call]
    done = subprocess.run([atoll.program, *words, "--json"], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)  # valid UTF-8
    assert done.stderr == b""


@pytest.mark.plain_build("the leak sanitizer starts a thread")
def test_threads_that_cannot_be_started(atoll, tmp_path):
    """`ulimit -u` counts a user's processes, and doesn't limit root. On one processor, the graph's loops start no
    threads, but unpacking the file does."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # a folder that another user may enter
    try:
        folder.chmod(0o755)
        shutil.copy(atoll.program, folder / "atoll")
        (folder / "g.el.gz").write_bytes(gzip.compress(b"0 1\n1 0\n"))
        as_user = ["setpriv", "--reuid", "64123", "--clear-groups", "--"] if os.geteuid() == 0 else []
        done = subprocess.run([*as_user, "prlimit", "--nproc=1", folder / "atoll", "graph", "info", folder / "g.el.gz"],
                              capture_output=True, text=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    finally:
        shutil.rmtree(folder)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "ulimit -u" in done.stderr and "internal error" not in done.stderr


def test_a_missing_folder_for_temporary_files(atoll, tmp_path):
    environment = dict(os.environ, TMPDIR=str(tmp_path / "none"))
    done = subprocess.run([atoll.program, "simulate", "--machine", "hbm-2s", "--", "true"], capture_output=True,
                          text=True, env=environment)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "TMPDIR" in done.stderr and "internal error" not in done.stderr


def test_columns_are_blamed_for_columns(atoll, tmp_path):
    (tmp_path / "g.csv").write_text("1,2,3\n")
    line = atoll.refuses("graph", "info", tmp_path / "g.csv", "--columns", "0,1")
    assert "--columns" in line.split(";")[0] and "--value" not in line
    line = atoll.refuses("graph", "info", tmp_path / "g.csv", "--columns", "1,2", "--value", "w=0")
    assert "--value" in line


@pytest.mark.parametrize("verb", ["report", "advise", "diff", "reorder", "graph info", "graph convert",
                                  "graph generate", "compile", "schedule", "simulate", "machine", "profile", "trace"])
def test_an_unknown_option_is_named(atoll, verb):
    line = atoll.refuses(*verb.split(), "--bogus")
    assert "--bogus" in line and "required" not in line and "missing" not in line


@pytest.mark.parametrize("app", APPS)
def test_an_unknown_option_of_an_application_is_named(build, app):
    done = subprocess.run([build / "apps" / app, "--bogus"], capture_output=True, text=True)
    assert done.returncode == 2 and "--bogus" in done.stderr and "required" not in done.stderr


def test_front_ends_of_traces(atoll, tmp_path):
    assert "garbage" in atoll.refuses("simulate", tmp_path / "t", "--frontend", "garbage")
    for verb in ("profile", "trace", "schedule", "simulate"):
        assert "garbage" in atoll.refuses(verb, "--frontend", "garbage", "--", "true")


INTERRUPTED = """
    int main(void) { return raise(SIGINT); }
"""


def test_a_scheduled_command_that_is_interrupted(atoll, programs, tmp_path):
    program = programs("interrupted", INTERRUPTED)
    line = atoll.refuses("schedule", "-o", tmp_path / "s", "--frontend", "dbi", "--", program, code=130)
    assert "signal 2" in line
    assert not (tmp_path / "s").exists()


def test_long_values_are_shortened(atoll, build):
    value = "v" * 100000
    calls = [["report", value], ["run", "--policy", value, "--", "true"], ["graph", "info", value], [value],
             ["machine", "--machine", value], ["simulate", "--layout", value, "x"], ["graph", "generate", value],
             ["report", "--" + value], ["compile", value]]
    for call in calls:
        line = atoll.refuses(*call)
        assert len(line) < 2000 and "v" * 100 in line, line[:200]
    done = subprocess.run([build / "apps/spmv", "--mesh", value], capture_output=True, text=True)
    assert done.returncode == 2 and len(done.stderr) < 2000
