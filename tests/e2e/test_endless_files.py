"""Files that are endless, of another kind, or unreadable: refused in one line, quickly and with little memory."""

import os
import resource
import subprocess
import threading
import time

import pytest

pytestmark = pytest.mark.plain_build("a sanitizer needs more address space than the limits here")

# Calls; {} stands for the file.
CALLS = [
    "run --plan {} -- true",
    "simulate --machine hbm-2s --plan {} -- true",
    "run --schedule {} -- true",
    "schedule --check {}",
    "schedule --show {}",
    "run {} --graph g.el",
    "compile {}",
    "trace --check {}",
    "profile --check {}",
    "report {}",
    "advise {}",
    "diff {} {}",
    "simulate --machine hbm-2s {}",
]


def refused(atoll, call, file, **more):
    """Makes a call with 1 GiB of memory, which must be refused within 20 s. Returns the message."""
    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
    begin = time.monotonic()
    line = atoll.refuses(*call.format(*[file] * call.count("{}")).split(), timeout=60, preexec_fn=limit, **more)
    assert time.monotonic() - begin < 20
    assert "internal error" not in line
    return line


@pytest.mark.parametrize("call", CALLS)
def test_endless_files(atoll, tmp_path, call):
    line = refused(atoll, call, "/dev/zero", cwd=tmp_path)
    assert "/dev/zero" in line


@pytest.mark.parametrize("call", CALLS)
def test_files_that_cannot_be_read(atoll, tmp_path, call):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for file in (loop, tmp_path, tmp_path / ("n" * 300), "/proc/self/mem"):
        line = refused(atoll, call, file, cwd=tmp_path)
        assert str(file)[:100] in line
    assert sorted(os.listdir(tmp_path)) == ["loop"]


@pytest.mark.parametrize("name", ["loop.json", "loop.xml", "./loop"])
def test_machines_that_cannot_be_read(atoll, tmp_path, name):
    (tmp_path / name).symlink_to(tmp_path / name)
    assert "symbolic links" in atoll.refuses("machine", "--machine", name, cwd=tmp_path)


def test_a_plan_is_text_of_some_size(atoll, tmp_path):
    large = tmp_path / "large"
    with open(large, "w") as file:
        file.truncate(1 << 40)  # zeros, without allocated blocks
        file.write("{" + " " * 5000)
    assert "larger than 64 MiB" in refused(atoll, "run --plan {} -- true", large)
    # A pipe has no size.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write():
        with open(pipe, "wb", buffering=0) as to:
            try:
                while True:
                    to.write(b" " * 65536)
            except BrokenPipeError:
                pass
    writer = threading.Thread(target=write)
    writer.start()
    assert "larger than 64 MiB" in refused(atoll, "run --plan {} -- true", pipe)
    writer.join()


def test_labels_are_lines(atoll, tmp_path):
    (tmp_path / "g.el").write_text("0 1\n")
    with open(tmp_path / "labels", "w") as file:
        file.truncate(1 << 40)
    out = tmp_path / "out.atoll"
    call = f"graph convert {tmp_path / 'g.el'} -o {out} --labels"
    assert "line of more than 1 MiB" in refused(atoll, call + " {}", tmp_path / "labels")
    assert not out.exists()
    process = subprocess.Popen([atoll.program, *call.split(), tmp_path / "labels"], stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30)))
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 2 and used.ru_maxrss < 300 << 10
    (tmp_path / "labels").write_text("a\nb\nc")  # a node without edges; the last line has no newline
    assert "3 nodes" in atoll("graph", "convert", tmp_path / "g.el", "-o", out, "--labels", tmp_path / "labels").stdout


def test_a_schedule_is_as_large_as_its_head_says(atoll, tmp_path):
    graph, schedule = tmp_path / "g.graph", tmp_path / "s"
    graph.write_text("2 1\n2\n1\n")
    atoll("schedule", graph, "-o", schedule)
    whole = schedule.read_bytes()
    with open(schedule, "r+b") as file:
        file.truncate(1 << 40)
    assert "damaged" in refused(atoll, "schedule --check {}", schedule)
    # A pipe is read like a file.
    done = subprocess.run([atoll.program, "schedule", "--check", "/dev/stdin"], input=whole, capture_output=True)
    assert done.returncode == 0, done.stderr
