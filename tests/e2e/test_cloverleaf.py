"""CloverLeaf: the reference's kinetic energy, the same bits in all configurations, one chain per step, mistakes in
decks."""

import itertools
import json
import math
import signal
import subprocess

import pytest

STATES = {2: "state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0 xmax=5 ymin=0 ymax=2",
          3: "state 2 density=1.0 energy=2.5 geometry=cuboid xmin=0 xmax=5 ymin=0 ymax=2 zmin=0 zmax={depth}"}
ENERGIES = {"10x2": 1.82280367310258, "10x2x2": 3.64560737191257}


def deck_of(cells, steps, *, size=None, dt=0.04, problem=None, more=""):
    """Returns the usual problem with these numbers of cells; `size` is the size of the mesh, by default 10 in each
    dimension."""
    size = size or [10] * len(cells)
    lines = ["*clover", "state 1 density=0.2 energy=1.0",
             STATES[len(cells)].format(depth=2 if size[-1] == 2 else 4)]
    for axis, (count, length) in enumerate(zip(cells, size)):
        name = "xyz"[axis]
        lines += [f"{name}_cells={count}", f"{name}min 0", f"{name}max={length}"]
    lines += [f"initial_timestep={dt}", f"max_timestep={dt}", "end_time=1000", f"end_step={steps}", more]
    if problem:
        lines.append(f"test_problem {problem}")
    return "\n".join([*lines, "*endclover"]) + "\n"


@pytest.fixture
def clover(build, tmp_path):
    """Runs a deck; returns the program's JSON output, or with `fails` the finished process."""
    def run(deck, *options, dimensions=2, fails=None, json_too=True):
        path = tmp_path / "clover.in"
        path.write_text(deck)
        done = subprocess.run([build / f"apps/cloverleaf{dimensions}d", path, *map(str, options),
                               *(["--json"] if json_too and fails is None else [])],
                              capture_output=True, text=True, timeout=300, cwd=tmp_path)
        if fails is not None:
            assert done.returncode == fails, done.stderr
            assert done.stderr.count("\n") == 1, done.stderr
            return done.stderr
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout) if json_too else done.stdout
    return run


@pytest.mark.parametrize("mode", ["tiled", "untiled"])
@pytest.mark.parametrize("cells,steps,size,dt,problem", [
    ([10, 2], 75, [10, 2], 0.04, 1), ([960, 960], 87, None, 0.04, 2),
    ([10, 2, 2], 75, [10, 2, 2], 0.04, 1), ([96, 96, 96], 87, None, 0.1, 2)], ids=str)
def test_references(clover, cells, steps, size, dt, problem, mode):
    deck = deck_of(cells, steps, size=size, dt=dt, problem=problem)
    said = clover(deck, "--mode", mode, dimensions=len(cells), json_too=False)
    assert f"test_problem {problem}: " in said and said.rstrip().endswith("PASSED")


def test_the_small_3d_references_to_twelve_digits(clover):
    """Both energies depend on how the original fills the halos of x faces. A tolerance of 0.001 % would miss
    a difference."""
    for cells, steps, size, dt, energy in [([10, 2, 2], 75, [10, 2, 2], 0.04, 3.64560737191257),
                                           ([96, 96, 96], 87, None, 0.1, 20.0546870878964)]:
        said = clover(deck_of(cells, steps, size=size, dt=dt), dimensions=3)
        assert said["kinetic_energy"] == pytest.approx(energy, rel=1e-12)


def test_a_wrong_answer_fails(clover):
    deck = deck_of([10, 2], 74, size=[10, 2], problem=1)  # one step less than required
    assert "should be 1.8228036731" in clover(deck, fails=1)


@pytest.mark.parametrize("cells", [[37, 23], [64, 1], [1, 40], [19, 13, 11], [9, 1, 12]], ids=str)
def test_the_same_bits_however_it_runs(clover, cells):
    deck = deck_of(cells, 6)  # few cells: seven threads on two busy cores wait long for each other
    tiny = "x".join(["1"] * len(cells))
    runs = [clover(deck, *options.split(), dimensions=len(cells)) for options in [
        "--mode untiled --threads 1", "--threads 1", "--threads 2 --tile 7x5", "--threads 3", "--threads 7 --tile 16x3",
        f"--threads 2 --tile {tiny}", "--mode untiled --threads 3"]]
    for name in ("kinetic_energy", "internal_energy", "mass", "time"):
        assert len({run[name] for run in runs}) == 1, name
    assert runs[0]["kinetic_energy"] > 0


def test_a_step_is_one_chain(clover):
    """Everything between two computations of the time step is queued: one chain per step, and one at the end."""
    for cells in ([40, 30], [12, 10, 8]):
        few, many = [clover(deck_of(cells, steps, more="summary_frequency=0"), dimensions=len(cells))
                     for steps in (10, 25)]
        assert many["chains"] - few["chains"] == 15
        assert few["chains"] == 11


@pytest.mark.parametrize("cells", [[24, 18], [12, 10, 9]], ids=str)
def test_its_loops_do_what_they_declare(clover, cells):
    deck = deck_of(cells, 3)
    checked = clover(deck, "--mode", "checked", dimensions=len(cells))
    assert checked["kinetic_energy"] == clover(deck, dimensions=len(cells))["kinetic_energy"]


@pytest.mark.parametrize("cells,steps", [([50, 41], 17), ([14, 11, 9], 140)], ids=str)
def test_a_restart_goes_on_bit_for_bit(clover, tmp_path, cells, steps):
    """In 3D, the flow has reached all walls by the checkpoint, so that the contents of the halos affect the result."""
    end = steps + 13
    whole = clover(deck_of(cells, end), dimensions=len(cells))
    clover(deck_of(cells, steps), "--checkpoint", steps, "--threads", 2, dimensions=len(cells))
    saved = tmp_path / f"cloverleaf{len(cells)}d.checkpoint.h5"
    went_on = clover(deck_of(cells, end), "--restart", saved, "--threads", 1, dimensions=len(cells))
    assert went_on["kinetic_energy"] == whole["kinetic_energy"] and went_on["steps"] == end
    other = [2 * count for count in cells]
    error = clover(deck_of(other, end), "--restart", saved, dimensions=len(cells), fails=2)
    assert "cells" in error
    saved.write_bytes(saved.read_bytes()[:-7])
    clover(deck_of(cells, end), "--restart", saved, dimensions=len(cells), fails=2)


BLOCK = """*clover
 state 1 density=0.2 energy=1.0
 state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0.0 xmax=5.0 ymin=0.0 ymax=2.0
 x_cells=20
 y_cells=20
 xmin=0.0
 ymin=0.0
 xmax=10.0
 ymax=10.0
 initial_timestep=0.04
 timestep_rise=1.5
 max_timestep=0.04
 end_step=10
*endclover
"""


@pytest.mark.parametrize("changes", [
    [], [("state 1 density", "STATE 1 DENSITY"), ("state 2", "State 2"), ("rectangle", "RECTANGLE"), ("x_cells", "X_CELLS")],
    [("x_cells=20\n", "x_cells=20 ")], [("energy=1.0", "energy=1.0 ; background"), ("x_cells=20", "x_cells=20 ; few")],
    [("0.2 energy=1.0", "0.2d0 energy=1.0D+00"), ("=1.0 energy=2.5", "=+1. energy=2.5e0"), ("ymin=0.0 ymax", "ymin=.0 ymax")],
    [("x_cells=20", "use_opencl_kernels\nopencl_vendor=Any\nopencl_type=CPU\nx_cells=20")],
    [("xmin=0.0 xmax=5.0 ymin=0.0", "xmax=5.0")]],
    ids=["plain", "capitals", "two a line", "semicolons", "Fortran", "OpenCL", "defaults"])
def test_decks_as_the_original_reads_them(clover, changes):
    """The energy equals that of the original."""
    deck = BLOCK
    for old, new in changes:
        assert old in deck
        deck = deck.replace(old, new, 1)
    said = clover(deck)
    assert said["mass"] == pytest.approx(28, rel=1e-12)
    assert said["kinetic_energy"] == pytest.approx(0.718649017, rel=1e-8)


def test_a_circle_is_moved_by_a_hundredth_of_a_cell(clover):
    """The original moves the centre to (5.51, 5.51), so that fewer centres of cells are inside. The expected
    values are the original's."""
    deck = ("*clover\nstate 1 density=0.2 energy=1.0\n"
            "state 2 density=1.0 energy=2.5 geometry=circle xmin=5.5 ymin=5.5 radius=5\n"
            "x_cells=12\ny_cells=12\nxmax=12.0\nymax=12.0\ninitial_timestep=0.04\nend_step=20\n*endclover\n")
    said = clover(deck)
    assert said["mass"] == pytest.approx(88.7837612, rel=1e-8)
    assert said["kinetic_energy"] == pytest.approx(5.46117308, rel=1e-8)


def test_a_point_is_a_moved_corner(clover):
    """As in the original, a cell is selected only if its corner is a hundredth of a cell beyond the point."""
    deck = deck_of([10, 10], 10).replace("geometry=rectangle xmin=0 xmax=5 ymin=0 ymax=2", "geometry=point xmin=5.0 ymin=3.0")
    said = clover(deck)
    assert (said["mass"], said["kinetic_energy"]) == (pytest.approx(20), 0)
    corner = deck.replace("xmin=5.0 ymin=3.0", "xmin=4.99 ymin=2.99")
    assert clover(corner)["mass"] == pytest.approx(20.8)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("shape", ["ball", "box"])
def test_the_mass_of_moved_states(clover, dimensions, shape):
    """The mass equals the one computed here from the cells that the state initially covers."""
    cells, length = [11, 9, 7][:dimensions], 10.0
    size = [length / n for n in cells]
    low = [5.0, 4.5 * size[1], 3.5 * size[2] if dimensions == 3 else 0][:dimensions]
    high = [9.0, 8 * size[1], 6 * size[2] if dimensions == 3 else 0][:dimensions]
    taken = 0
    for index in itertools.product(*map(range, cells)):
        begins = [i * d for i, d in zip(index, size)]
        if shape == "box":
            taken += all(b + d >= lo + d / 100 and b < hi - d / 100 for b, d, lo, hi in zip(begins, size, low, high))
        else:
            taken += math.dist([b + d / 2 for b, d in zip(begins, size)],
                               [lo + d / 100 for lo, d in zip(low, size)]) <= 3.2
    assert 0 < taken < math.prod(cells)
    geometry = {"ball": ["circle radius=3.2", "sphere radius=3.2"], "box": ["rectangle", "cuboid"]}[shape][dimensions - 2]
    bounds = " ".join(f"{x}min={a!r} {x}max={b!r}" for x, a, b in zip("xyz", low, high))
    deck = deck_of(cells, 0)
    state = next(line for line in deck.splitlines() if line.startswith("state 2"))
    deck = deck.replace(state, f"state 2 density=1.0 energy=2.5 geometry={geometry} {bounds}")
    said = clover(deck, dimensions=dimensions)
    assert said["mass"] == pytest.approx(math.prod(size) * (taken + 0.2 * (math.prod(cells) - taken)), rel=1e-12)


@pytest.mark.parametrize("every,steps", [(2, [0, 2, 3]), (1, [0, 1, 2, 3]), (3, [0, 3]), (50, [0, 3])])
def test_snapshots_have_the_first_and_the_last_step(clover, tmp_path, every, steps):
    deck = BLOCK.replace("end_step=10", "end_time=0.1\nsummary_frequency=0\nvisit_frequency=1")
    clover(deck, "--snapshots", every)
    assert sorted(path.name for path in tmp_path.glob("cloverleaf2d_0*.h5")) == [
        f"cloverleaf2d_{step:06}.h5" for step in steps]
    index = (tmp_path / "cloverleaf2d.xmf").read_text()
    assert [f"cloverleaf2d_{step:06}.h5" in index for step in range(4)] == [step in steps for step in range(4)]


def endless_deck(steps, frequency):
    return deck_of([60, 50], steps, more=f"summary_frequency={frequency}").replace("end_time=1000", "end_time=1e9")


def test_sigterm_saves_the_state_and_ends_the_run(clover, build, tmp_path):
    endless = tmp_path / "endless.in"
    endless.write_text(endless_deck(10**9, 1))
    running = subprocess.Popen([build / "apps/cloverleaf2d", endless, "--checkpoint-on-sigterm"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    for _ in range(30):
        running.stdout.readline()
    assert not (tmp_path / "cloverleaf2d.checkpoint.h5").exists()
    running.terminate()
    _, said = running.communicate(timeout=120)
    assert (running.returncode, said) == (-signal.SIGTERM, "")
    saved = tmp_path / "cloverleaf2d.checkpoint.h5"
    step = clover(endless_deck(1, 0), "--restart", saved)["steps"]  # the checkpoint is after the last step of the deck
    assert step >= 29
    deck = endless_deck(step + 7, 0)
    went_on = clover(deck, "--restart", saved)
    assert went_on["steps"] == step + 7
    assert went_on["kinetic_energy"] == clover(deck)["kinetic_energy"]


def test_without_the_option_sigterm_ends_the_run_at_once(build, tmp_path):
    endless = tmp_path / "endless.in"
    endless.write_text(endless_deck(10**9, 1))
    running = subprocess.Popen([build / "apps/cloverleaf2d", endless, "--checkpoint", "1000000000"],
                               stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    running.stdout.readline()
    running.terminate()
    running.communicate(timeout=120)
    assert running.returncode == -signal.SIGTERM
    assert not list(tmp_path.glob("*.h5"))


def test_checkpoints_by_the_clock(clover, tmp_path):
    saved = tmp_path / "cloverleaf2d.checkpoint.h5"
    deck = deck_of([30, 20], 9)
    plain = clover(deck, "--checkpoint-minutes", 1000)
    assert not saved.exists()
    often = clover(deck, "--checkpoint-minutes", 1e-9)
    assert saved.exists() and often["kinetic_energy"] == plain["kinetic_energy"]
    again = clover(deck_of([30, 20], 12), "--restart", saved)
    assert again["kinetic_energy"] == clover(deck_of([30, 20], 12))["kinetic_energy"]
    assert "--checkpoint-minutes" in clover(deck, "--checkpoint-minutes", -1, fails=2)


def test_output_changes_no_bits(clover, tmp_path):
    deck = deck_of([48, 32], 20)
    plain = clover(deck)
    drawn = clover(deck + "", "--snapshots", 5, "--frames", 10, "--frame-field", "density0", "--frame-size", 64)
    assert drawn["kinetic_energy"] == plain["kinetic_energy"]
    assert len(list(tmp_path.glob("cloverleaf2d_0000*.h5"))) == 5  # including step 0
    assert len(list(tmp_path.glob("cloverleaf2d_density0_*.png"))) == 3
    visited = clover(deck_of([48, 32], 20, more="visit_frequency=10"))
    assert visited["kinetic_energy"] == plain["kinetic_energy"]


def test_the_report_counts_points(clover):
    said = clover(deck_of([60, 50], 10), "--report", json_too=False)
    row = next(line for line in said.splitlines() if line.startswith("viscosity"))
    assert row.split()[1:3] == ["10", "30000"], row
    assert "average bandwidth" in said


def test_too_fast_a_flow_ends_with_its_cell(clover):
    deck = deck_of([20, 20], 10).replace("density=0.2 energy=1.0", "density=0.2 energy=1.0 xvel=1e12")
    error = clover(deck, fails=1)
    assert "time step" in error and "cell (" in error


@pytest.mark.parametrize("cells", [[20, 20], [8, 7, 6]], ids=str)
def test_a_flow_that_is_no_number_any_more_ends(clover, cells):
    deck = deck_of(cells, 10).replace("density=0.2", "density=1e-200")
    error = clover(deck, dimensions=len(cells), fails=1)
    assert "holds no numbers" in error and "cell (" in error
    assert "kinetic energy is" in clover(deck_of(cells, 0).replace("density=0.2", "density=1e300 xvel=1e200"),
                                         dimensions=len(cells), fails=1)


@pytest.mark.parametrize("change,says", [
    (("x_cells=20", "x_cell=20"), "unknown key 'x_cell'"),
    (("x_cells=20", "x_cells=0"), "x_cells is '0'"),
    (("x_cells=20", "x_cells=-3"), "x_cells is '-3'"),
    (("x_cells=20", "x_cells=1e3"), "x_cells is '1e3'"),
    (("xmax=10", "xmax=0"), "its end has to lie behind its start"),
    (("x_cells=20", "x_cells=1000000000"), "take at most"),
    (("x_cells=20", "x_cells=1099511627776"), "take at most"),
    (("geometry=rectangle", "geometry=triangle"), "unknown geometry 'triangle'"),
    (("state 1 density=0.2 energy=1.0\n", ""), "state 1 is missing"),
    (("*endclover", ""), "cut short"),
    (("end_step=3", "test_problem 9"), "test_problem is '9'"),
], ids=lambda value: value if isinstance(value, str) else None)
def test_mistakes_in_decks(clover, change, says):
    deck = deck_of([20, 20], 3)
    assert change[0] in deck
    error = clover(deck.replace(*change), fails=2)
    assert says in error and "clover.in" in error


def test_mistakes_in_calls(clover, build, tmp_path):
    deck = deck_of([20, 20], 3)
    assert "state" in clover("*clover\n*endclover\n", fails=2)
    for options in (["--tile", "0x4"], ["--mode", "fast"], ["--threads", "0"], ["--restart", tmp_path / "none.h5"],
                    ["--snapshots", "1", "--output", tmp_path / "none"]):
        clover(deck, *options, fails=2)
    for name in ("none.in", "."):
        done = subprocess.run([build / "apps/cloverleaf2d", tmp_path / name], capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
