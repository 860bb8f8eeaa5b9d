"""Output files of a call: all or none are written, under any name, with their previous permissions."""

import os
import resource
import stat
import subprocess

import pytest


def limited(limit):
    """A preexec_fn that limits files to `limit` bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


@pytest.fixture
def tall(tmp_path):
    """Creates the file of a matrix whose order is a larger file."""
    (tmp_path / "tall.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2000 2000 1\n1 1 1\n")
    return tmp_path / "tall.mtx"


@pytest.mark.parametrize("more", ["--rows", "--columns"])
def test_reorder_writes_all_files_or_none(atoll, tall, tmp_path, more):
    out, order = tmp_path / "out.mtx", tmp_path / "order"
    out.write_text("old")
    order.write_text("old")
    call = ["reorder", tall, "-o", out, more]
    atoll.refuses(*call, tmp_path / "none" / "order")
    assert out.read_text() == "old"
    assert "File too large" in atoll.refuses(*call, order, code=1, preexec_fn=limited(1000))
    assert out.read_text() == order.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["order", "out.mtx", "tall.mtx"]
    atoll(*call, order)
    assert out.read_text() != "old" and len(order.read_text().split()) == 2000


def test_schedule_writes_all_files_or_none(atoll, tmp_path):
    (tmp_path / "g.graph").write_text("3 2\n2\n1 3\n2\n")
    out, dot = tmp_path / "out", tmp_path / "dot"
    out.write_text("old")
    call = ["schedule", tmp_path / "g.graph", "-o", out, "--dot", dot]
    atoll(*call)
    sizes = [out.stat().st_size, dot.stat().st_size]
    assert min(sizes) < max(sizes)
    out.write_text("old")
    dot.write_text("old")
    assert "File too large" in atoll.refuses(*call, code=1, preexec_fn=limited(min(sizes)))
    assert out.read_text() == dot.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 3


def test_a_graph_program_writes_all_results_or_none(echo, labelled, tmp_path):
    degree, table = tmp_path / "degree", tmp_path / "table.csv"
    call = [labelled, "--save", f"degree={degree}", "--csv", f"nodes={table}"]
    echo(*call)
    sizes = [degree.stat().st_size, table.stat().st_size]
    assert min(sizes) < max(sizes)
    degree.write_text("old")
    table.write_text("old")
    line = echo.refuses(*call, code=1, preexec_fn=limited(min(sizes)))
    assert "File too large" in line
    assert degree.read_text() == table.read_text() == "old"


def test_a_program_says_that_a_file_is_too_large(atoll, build, echo, labelled, tmp_path):
    """SIGXFSZ doesn't kill the programs, whether the limit applies to a file or to standard output."""
    taylor_green = type(atoll)(build / "apps/taylor-green", atoll.cache)
    square = ["--dimensions", 2, "--size", 32, "--steps", 4, "--threads", 1, "--output", tmp_path]
    line = taylor_green.refuses(*square, "--snapshots", 2, code=1, preexec_fn=limited(4000))
    assert "File too large" in line
    assert [path.name for path in tmp_path.iterdir() if "taylor" in path.name] == []
    calls = [[build / "apps/taylor-green", *square, "--every", 1],
             [build / "tests/atoll_echo", *echo._words(labelled, ["--json"], None)]]
    for call in calls:
        with open(tmp_path / "stdout", "w") as stdout:
            done = subprocess.run(list(map(str, call)), stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=300,
                                  preexec_fn=limited(100))
        assert done.returncode == 1, call
        assert "standard output" in done.stderr and len(done.stderr.splitlines()) == 1


def test_outputs_keep_their_rights_and_links(atoll, tmp_path):
    private, link = tmp_path / "private.el", tmp_path / "link.el"
    private.write_text("old")
    private.chmod(0o600)
    link.symlink_to("private.el")
    for path in (private, link):
        atoll("graph", "generate", "uniform", "--scale", 4, "-o", path)
        assert stat.S_IMODE(private.stat().st_mode) == 0o600
        assert link.is_symlink() and private.read_text() != "old"
    (tmp_path / "new.el").symlink_to("behind.el")
    line = atoll.refuses("schedule", "--dot", tmp_path / "new.el", "-o", tmp_path / "behind.el", private)
    assert "two outputs can't be written to one file" in line
    loop = tmp_path / "loop.el"
    loop.symlink_to("loop.el")
    assert "symbolic links" in atoll.refuses("graph", "generate", "uniform", "--scale", 4, "-o", loop)


def test_new_reports_in_a_shared_folder_are_the_users_alone(atoll, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    atoll("profile", "-o", shared / "p", "--", "true")
    atoll("report", shared / "p", "--html", shared / "p.html")
    atoll("machine", "-o", shared / "machine.json")
    for path in shared.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(list(shared.iterdir())) == 3
    atoll("machine", "-o", tmp_path / "machine.json", preexec_fn=lambda: os.umask(0o027))
    assert stat.S_IMODE((tmp_path / "machine.json").stat().st_mode) == 0o640


def test_the_longest_names_are_written_and_longer_ones_refused_at_once(atoll, tmp_path):
    for length in (246, 255):
        atoll("graph", "generate", "uniform", "--scale", 4, "-o", tmp_path / ("n" * (length - 3) + ".el"))
        atoll("profile", "-o", tmp_path / ("p" * length), "--", "true")
    assert sorted(len(path.name) for path in tmp_path.iterdir()) == [246, 246, 255, 255]
    line = atoll.refuses("profile", "-o", tmp_path / ("p" * 256), "--", "touch", tmp_path / "ran")
    assert "File name too long" in line
    assert not (tmp_path / "ran").exists()


@pytest.mark.plain_build("the leak sanitizer needs /proc")
def test_files_are_written_without_proc(atoll, tmp_path):
    hidden = ["unshare", "-rm", "sh", "-c"]
    if subprocess.run([*hidden, "mount -t tmpfs none /proc"], capture_output=True).returncode != 0:
        pytest.skip("/proc can't be hidden here: no file systems may be mounted")
    out = tmp_path / "out.el"
    done = subprocess.run([*hidden, f"mount -t tmpfs none /proc && '{atoll.program}' graph generate uniform --scale 4 "
                           f"-o '{out}'"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(out.read_text().splitlines()) > 10
    assert list(tmp_path.iterdir()) == [out]
