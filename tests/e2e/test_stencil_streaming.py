"""Stencil programs whose fields are in a file: results, traffic, memory, checkpoints, and wrong options."""

import os
import signal
import subprocess
import time

import pytest

DECK = """*clover
 state 1 density=0.2 energy=1.0
 state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0 xmax=5 ymin=0 ymax=2
 x_cells=480
 y_cells=600
 xmin=0 xmax=10
 ymin=0 ymax=10
 initial_timestep=0.04
 max_timestep=0.04
 end_step={steps}
*endclover
"""
MEBI = 1 << 20


@pytest.fixture
def deck(tmp_path):
    def written(steps):
        (tmp_path / "clover.in").write_text(DECK.format(steps=steps))
        return tmp_path / "clover.in"
    return written


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def clover(atoll, build):
    return type(atoll)(build / "apps/cloverleaf2d", atoll.cache)


@pytest.fixture
def taylor_green(atoll, build):
    return type(atoll)(build / "apps/taylor-green", atoll.cache)


def numbers(result):
    """Returns the results that don't depend on the time."""
    return {key: result[key] for key in result
            if key not in ("seconds", "streamed", "tiles") and "_seconds" not in key and "ns_per" not in key}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("budget", ["12MiB", "31MiB", "1GiB"])
def test_cloverleaf_has_the_same_results(clover, deck, home, threads, budget):
    expected = clover.json(deck(12), "--threads", 2)
    result = clover.json(deck(12), "--threads", threads, "--budget", budget, "--home", home)
    assert numbers(result) == numbers(expected)
    assert ("streamed" in result) == (budget != "1GiB")
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("dimensions, size, budget", [(3, 40, "9MiB"), (3, 40, "15MiB"), (2, 500, "9MiB")])
def test_taylor_green_on_a_periodic_mesh_has_the_same_results(taylor_green, home, dimensions, size, budget):
    words = ["--dimensions", dimensions, "--size", size, "--steps", 6, "--chain", 3, "--threads", 2]
    result = taylor_green.json(*words, "--budget", budget, "--home", home)
    assert result["streamed"]["outer_tiles"] > 0
    assert numbers(result) == numbers(taylor_green.json(*words))


def test_optimisations_save_traffic(clover, deck, home):
    """A step reads 9 and writes 6 arrays of doubles: 72 and 48 bytes a cell. Another run gives what the start and the
    last summary take."""
    def streamed(steps, *words):
        return clover.json(deck(steps), "--threads", 2, "--budget", "20MiB", "--home", home, *words)["streamed"]
    short, long = streamed(20), streamed(40)
    cells = 20 * 480 * 600
    for way, bytes in ("in", 72), ("out", 48):
        moved = (long[f"bytes_{way}"] - short[f"bytes_{way}"]) / cells
        padded = bytes * (484 + 4) / 480  # rows have halos, and are whole cache lines
        assert bytes < moved < 1.05 * padded, (way, moved)
        assert long[f"bytes_{way}"] == pytest.approx(long[f"planned_bytes_{way}"], rel=0.02)
    for word, way in ("read-only", "out"), ("cyclic", "out"), ("write-first", "in"):
        assert streamed(20, "--without", word)[f"bytes_{way}"] > 1.1 * short[f"bytes_{way}"]


@pytest.mark.plain_build("sanitizers take memory")
def test_memory_stays_within_the_budget(build, deck, home, tmp_path):
    for words in [], ["--snapshots", "5", "--checkpoint", "5", "--frames", "5", "--output", tmp_path]:
        program = subprocess.Popen([build / "apps/cloverleaf2d", deck(10), "--threads", "2", "--budget", "16MiB",
                                    "--home", home, *words], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
        assert program.returncode == 0
        assert used.ru_maxrss * 1024 <= 16 * MEBI + 64 * MEBI


def test_a_restart_goes_on_with_another_budget(clover, deck, home, tmp_path):
    """The first run is killed after its checkpoint. Nothing is left in the home."""
    words = ["--threads", 2, "--home", home, "--output", tmp_path]
    expected = clover.json(deck(30), "--threads", 2)
    program = subprocess.Popen([clover.program, *map(str, [deck(30), *words, "--budget", "16MiB", "--checkpoint", 4])],
                               stdout=subprocess.DEVNULL)
    checkpoint = tmp_path / "cloverleaf2d.checkpoint.h5"
    end = time.monotonic() + 60
    while not checkpoint.exists() and time.monotonic() < end:
        time.sleep(0.01)
    program.send_signal(signal.SIGKILL)
    assert program.wait() == -signal.SIGKILL
    assert list(home.iterdir()) == []
    result = clover.json(deck(30), *words, "--budget", "22MiB", "--restart", checkpoint)
    assert result["steps"] == 30 and result["kinetic_energy"] == expected["kinetic_energy"]
    in_memory = clover.json(deck(30), "--threads", 1, "--restart", checkpoint)
    assert in_memory["kinetic_energy"] == expected["kinetic_energy"]


@pytest.mark.parametrize("words, said", [
    (["--budget", "300KiB"], "to stream the loops from"),
    (["--budget", "1000TiB"], "memory that exists"),
    (["--budget", "much"], "is not a size"),
    (["--budget", "0"], "no memory"),
    (["--budget", "16MiB", "--home", "{tmp_path}/none"], "existing folder"),
    (["--budget", "16MiB", "--home", "{tmp_path}/clover.in"], "existing folder"),
    (["--budget", "16MiB", "--home", "/proc"], "/proc"),
    (["--without", "thought"], "is no optimisation"),
])
def test_wrong_options(clover, deck, home, tmp_path, words, said):
    words = [word.format(tmp_path=tmp_path) for word in words]
    if "--home" not in words:
        words += ["--home", home]
    assert said in clover.refuses(deck(2), "--threads", 2, *words)
    assert list(home.iterdir()) == []


def test_the_least_budget_is_named(clover, deck, home):
    said = clover.refuses(deck(2), "--budget", "300KiB", "--home", home)
    least = int(said.split("give ")[1].split()[0])
    assert clover(deck(2), "--budget", least, "--home", home).returncode == 0
    assert "give" in clover.refuses(deck(2), "--budget", least - 20000, "--home", home)


def test_fields_beyond_the_budget_need_a_home(clover, taylor_green, deck):
    assert "name a folder for them with --home" in clover.refuses(deck(2), "--budget", "16MiB")
    path = deck(2)
    path.write_text(path.read_text().replace("x_cells=480", "x_cells=20000000"))
    assert "--home" in clover.refuses(path)
    assert "--home" in taylor_green.refuses("--size", 40000)


def test_a_prediction(clover, deck, build, sanitized):
    """It takes no memory for fields. A slow link determines the time: 72 bytes are read for each cell and step."""
    path = deck(40)
    path.write_text(path.read_text().replace("x_cells=480", "x_cells=20000").replace("y_cells=600", "y_cells=10000"))
    machine = [path, "--dry-run", "--fast-bandwidth", "470GB/s"]

    def predicted(*words):
        return clover.json(*machine, *words)["predicted"]
    fits = predicted("--fast-size", "1TiB", "--link", "1 GB/s")
    assert fits["efficiency"] == 1 and fits["ns_per_cell_step"] == fits["baseline_ns_per_cell_step"]
    slow, fast = (predicted("--fast-size", "2GiB", "--link", link) for link in ("1GB/s", "10TB/s"))
    assert slow["ns_per_cell_step"] == pytest.approx(72, rel=0.1)
    assert fast["efficiency"] > 0.9 > slow["efficiency"]
    program = subprocess.Popen([clover.program, *map(str, machine), "--fast-size", "2GiB", "--link", "1GB/s"],
                               stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    assert program.returncode == 0 and (sanitized or used.ru_maxrss * 1024 < 64 * MEBI)


@pytest.mark.parametrize("words, said", [
    (["--dry-run", "--fast-size", "1GiB"], "--fast-bandwidth"),
    (["--link", "1GB/s"], "--dry-run"),
    (["--dry-run", "--fast-size", "1GiB", "--fast-bandwidth", "470", "--link", "1GB/s"], "is no bandwidth"),
])
def test_an_incomplete_prediction(clover, deck, words, said):
    assert said in clover.refuses(deck(2), *words)
