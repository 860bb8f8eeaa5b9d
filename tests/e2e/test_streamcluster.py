"""Streamcluster compared with a slow serial reference, byte by byte; its layouts, threads and mistakes."""

import json
import os
import random
import signal
import struct
import subprocess
import time

import pytest
import streamcluster_reference as reference

# k1 k2 d n chunksize clustersize: configurations verified with the original; short last chunks, one centre, one
# dimension.
OF_THE_ORIGINAL = ["2 5 1 10 10 5", "3 10 3 16 16 10", "10 20 32 4096 4096 1000", "10 20 64 8192 8192 1000",
                   "10 20 16 6000 2000 1000", "5 9 8 5000 1024 500"]
SIZES = [*OF_THE_ORIGINAL, "1 1 3 400 150 50", "1 4 3 900 300 50", "2 3 5 1001 1000 20"]


@pytest.fixture
def cluster(build, tmp_path):
    """Runs the program; returns its output file and its output."""
    def run(sizes, *options, infile="none", threads=2):
        outfile = tmp_path / "outfile"
        outfile.unlink(missing_ok=True)
        done = subprocess.run([build / "apps/streamcluster", *sizes.split(), infile, outfile, str(threads), *options],
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return outfile.read_text(), done.stdout
    return run


def points_file(tmp_path, points):
    path = tmp_path / "points"
    path.write_bytes(b"".join(struct.pack(f"<{len(point)}f", *point) for point in points))
    return path


def centres_of(text):
    """Returns (id, weight, coordinates) of each centre."""
    return [(int(number), float(weight), [float(x) for x in coordinates.split()])
            for number, weight, coordinates in
            (centre.split("\n") for centre in text.split("\n\n")[:-1])]


@pytest.mark.parametrize("sizes", SIZES)
def test_it_writes_what_the_reference_writes(cluster, sizes):
    k1, k2, d, n, chunksize, _ = map(int, sizes.split())
    expected = reference.outfile(k1, k2, d, n, chunksize)
    assert expected.count("\n\n") >= 1
    for threads in (1, 2, 3):
        for options in ([], ["--baseline"], ["--layout", "distributed"], ["--policy", "shoal"]):
            assert cluster(sizes, "--scalar", *options, threads=threads)[0] == expected, (threads, options)


@pytest.mark.parametrize("sizes", OF_THE_ORIGINAL)
def test_vectors_give_the_same_centres(cluster, sizes):
    scalar, told = cluster(sizes, "--scalar", "--json")
    vectors, told_of_vectors = cluster(sizes, "--json")
    assert [centre[0] for centre in centres_of(vectors)] == [centre[0] for centre in centres_of(scalar)]
    assert json.loads(told_of_vectors)["cost"] == pytest.approx(json.loads(told)["cost"], rel=1e-3)


@pytest.fixture
def busy_computer():
    """A program that computes on each processing unit, so that threads are preempted."""
    others = [subprocess.Popen(["python3", "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    yield
    for other in others:
        other.kill()
        other.wait()


def test_waiting_threads_take_no_processor_time(cluster, busy_computer, processor_seconds):
    """OpenMP's threads poll for preempted ones: two threads took 4 to 8 times the CPU time of one. Other programs also
    evict the caches of a preempted thread, hence the factor."""
    seconds, files = {}, set()
    for threads in (1, 2, 4):
        runs = []
        for _ in range(3):
            before = processor_seconds()
            files.add(cluster("10 20 64 4096 4096 1000", "--scalar", threads=threads)[0])
            runs.append(processor_seconds() - before)
        seconds[threads] = min(runs)
    assert len(files) == 1
    assert max(seconds[2], seconds[4]) <= 2 * seconds[1], seconds


def test_the_generators_first_numbers(cluster):
    """The points are the documented first numbers of lrand48() after srand48(1). They are so few that each is
    its own centre."""
    numbers = [89400484, 976015093, 1792756325, 721524505, 1214379247, 3794415]
    text, _ = cluster("1 6 1 6 6 6")
    assert centres_of(text) == [(i, 1, [pytest.approx(number / (2**31 - 1), abs=1e-6)])
                                for i, number in enumerate(numbers)]


def test_points_of_a_file(cluster, tmp_path):
    """The points are separate clusters, in chunks of which the last one is short. The centres have the
    weights and means of the clusters."""
    generator = random.Random(5)
    middles = [[generator.randrange(100) * 10 for _ in range(4)] for _ in range(6)]
    points = [[x + generator.uniform(-1, 1) for x in middles[i % 6]] for i in range(3_000)]
    path = points_file(tmp_path, points)
    text, _ = cluster("6 6 4 0 1024 100", "--scalar", infile=path)
    rows = [struct.unpack("<4f", struct.pack("<4f", *point)) for point in points]
    assert text == reference.outfile(6, 6, 4, 0, 1024, rows)
    assert sum(weight for _, weight, _ in centres_of(text)) == len(points)
    assert cluster("6 6 4 -1 3000 100", infile=path)[0] == cluster("6 6 4 0 3000 100", infile=path)[0]
    found = centres_of(cluster("6 6 4 0 3000 100", infile=path)[0])
    for middle in middles:
        _, weight, mean = min(found, key=lambda c: sum((a - b) ** 2 for a, b in zip(c[2], middle)))
        group = [p for i, p in enumerate(points) if middles[i % 6] == middle]
        assert weight == len(group)
        assert mean == pytest.approx([sum(xs) / len(group) for xs in zip(*group)], abs=1e-2)


@pytest.mark.parametrize("distinct", [1, 3])
def test_equal_points(cluster, tmp_path, distinct):
    """Fewer distinct points than requested centres: there is a centre at each of them."""
    path = points_file(tmp_path, [[float(i % distinct), 7.0] for i in range(1_200)])
    for options in ([], ["--scalar"], ["--baseline"]):
        centres = centres_of(cluster("5 9 2 0 600 100", *options, infile=path)[0])
        places = {}
        for _, weight, coordinates in centres:
            places[tuple(coordinates)] = places.get(tuple(coordinates), 0) + weight
        assert places == {(float(i), 7.0): 1_200 / distinct for i in range(distinct)}


def test_fewer_points_than_centres(cluster):
    text, told = cluster("10 20 2 7 100 100")
    assert [weight for _, weight, _ in centres_of(text)] == [1] * 7
    assert "7 centres" in told


def test_the_report(cluster):
    _, told = cluster("5 9 8 5000 1024 500")
    assert "5,000 points of 8 coordinates in 5 chunks" in told
    assert "7 centres" in told
    assert "coordinates on node" in told and "pages on node" in told
    assert max(map(len, told.splitlines())) <= 80
    _, told = cluster("5 9 8 5000 1024 500", "--json", "--baseline")
    report = json.loads(told)
    assert (report["points"], report["centres"], report["baseline"], report["threads"]) == (5000, 7, True, 2)
    assert [chunk["points"] for chunk in report["chunks"]] == [1024] * 4 + [904]
    for chunk in report["chunks"]:  # 1024 * 8 * 4 bytes are 8 pages, and the block may begin within one
        assert sum(chunk["pages"][0].values()) in (8, 9)


@pytest.mark.parametrize("machine,copies", [("opteron-8x8", 8), ("xeon-x7550", 4)])
def test_dry_run_decides_for_another_machine(cluster, build, machine, copies):
    call = [build / "apps/streamcluster", *"10 20 128 1000000 200000 5000 none /nowhere/out 0".split(),
            "--machine", machine, "--dry-run"]
    text = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert text.startswith(f"coordinates      replicated on 0-{copies - 1}, 2 MiB pages\n")
    assert max(map(len, text.splitlines())) <= 80
    told = json.loads(subprocess.run([*call, "--json"], capture_output=True, text=True, check=True).stdout)
    assert told["arrays"][0]["layout"]["nodes"] == list(range(copies))
    assert 2 < told["baseline_seconds"] / told["estimated_seconds"] < 20  # the paper measured 4 on such a machine
    by_shoal = json.loads(subprocess.run([*call, "--json", "--policy", "shoal"], capture_output=True, text=True,
                                         check=True).stdout)
    assert by_shoal["arrays"][0]["layout"]["kind"] == "replicated"
    forced = json.loads(subprocess.run([*call, "--json", "--layout", "single"], capture_output=True, text=True,
                                       check=True).stdout)
    assert forced["estimated_seconds"] > told["estimated_seconds"]


NAN = struct.pack("<2f", 1, float("nan"))
MISTAKES = [
    ("20 10 2 9 9 9", b"", "k1: 20 is more than k2, 10"),
    ("1 2 0 9 9 9", b"", "'0' is not a whole number from 1"),
    ("1 2 2 9 0 9", b"", "'0' is not a whole number from 1"),
    ("1 2 2 9 9 0", b"", "'0' is not a whole number from 1"),
    ("0 2 2 9 9 9", b"", "'0' is not a whole number from 1"),
    ("1 x 2 9 9 9", b"", "'x' is not a whole number from 1"),
    ("1 2 2 9 9", b"", "is not a whole number"),
    ("1 2 2 1.5 9 9", b"", "n: '1.5' is not a whole number"),
    ("5 9 2 300 100 10", b"", "clustersize: the chunks up to point"),
    ("1 2 2 0 9 9", b"12345678" * 3 + b"1234", "its last point is cut after 4 of 8 bytes"),
    ("1 2 2 0 9 9", b"", "it has no points"),
    ("1 2 2 0 9 9", struct.pack("<2f", 1, 2) * 11 + NAN, "point 11: its number 1 is nan"),
    ("1 2 2 0 9 9", struct.pack("<2f", 1, float("-inf")), "point 0: its number 1 is -inf"),
    ("1 2 2 0 9 9", struct.pack("<6f", 0, 0, 3e38, 1, 1, 1), "too large for single precision"),
    ("1 2 2147483648 9 2147483648 9", b"", "are too many"),
]


@pytest.mark.parametrize("sizes,content,message", MISTAKES)
def test_mistakes_are_told_in_one_line(build, tmp_path, sizes, content, message):
    infile = tmp_path / "points"
    infile.write_bytes(content)
    (tmp_path / "outfile").write_text("old")
    call = [build / "apps/streamcluster", *sizes.split(), infile, tmp_path / "outfile", "2"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert (tmp_path / "outfile").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["outfile", "points"]


@pytest.mark.parametrize("options,message", [
    (["--machine", "opteron-8x8"], "only --dry-run decides for another machine"),
    (["--baseline", "--layout", "single"], "--baseline has the original's"),
    (["--layout", "round"], "'round' is none of"),
    (["--dry-run", "--machine", "no-such"], "no-such"),
])
def test_options_that_do_not_fit(build, tmp_path, options, message):
    done = subprocess.run([build / "apps/streamcluster", *"1 2 2 9 9 9 none".split(), tmp_path / "outfile", "1",
                           *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert message in done.stderr and done.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == []


def test_files_that_are_not_there(build, tmp_path):
    for infile, outfile in [(tmp_path / "none", tmp_path / "outfile"), ("none", tmp_path / "no" / "outfile"),
                            (tmp_path, tmp_path / "outfile")]:
        n = "9" if infile == "none" else "0"
        done = subprocess.run([build / "apps/streamcluster", *f"1 2 2 {n} 9 9".split(), infile, outfile, "1"],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") == 1
        assert os.listdir(tmp_path) == []


def test_the_points_are_not_overwritten(build, tmp_path):
    points = tmp_path / "points"
    points.write_bytes(struct.pack("<8f", *range(8)))
    (tmp_path / "link").symlink_to(points)
    for name in ("points", "link"):
        done = subprocess.run([build / "apps/streamcluster", *"1 2 2 0 4 4 points".split(), name, "1"], cwd=tmp_path,
                              capture_output=True, text=True)
        assert done.returncode == 2 and "points" in done.stderr
    assert points.read_bytes() == struct.pack("<8f", *range(8)) and (tmp_path / "link").is_symlink()


def test_an_interrupted_run_leaves_nothing(build, tmp_path):
    run = subprocess.Popen([build / "apps/streamcluster", *"10 20 64 1000000 100000 5000 none".split(),
                            tmp_path / "outfile", "2"], stdout=subprocess.DEVNULL)
    time.sleep(1)
    assert run.poll() is None
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) != 0
    assert os.listdir(tmp_path) == []


def test_the_help(build):
    text = subprocess.run([build / "apps/streamcluster", "--help"], capture_output=True, text=True, check=True).stdout
    assert max(map(len, text.splitlines())) <= 80
    for name in "k1 k2 d n chunksize clustersize infile outfile nproc --baseline --scalar --layout --policy".split():
        assert name in text
