"""The Taylor-Green vortex: comparison with the exact decay and with an independent computation; the order of
accuracy; equal bits in all configurations."""

import json
import math
import subprocess

import pytest


@pytest.fixture
def vortex(build, tmp_path):
    def run(*options, fails=None):
        done = subprocess.run([build / "apps/taylor-green", *map(str, options), *([] if fails else ["--json"])],
                              capture_output=True, text=True, timeout=300, cwd=tmp_path)
        if fails:
            assert done.returncode == fails and done.stderr.count("\n") == 1, done.stderr
            return done.stderr
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)
    return run


def test_two_dimensions_decay_as_they_must(vortex):
    end = vortex("--dimensions", 2, "--size", 64, "--end", 5)
    assert end["time"] == pytest.approx(5, rel=1e-12)
    assert end["kinetic_energy"] == pytest.approx(0.25 * math.exp(-4 * 5 / 100), rel=0.002)
    assert end["exact"] == pytest.approx(0.25 * math.exp(-0.2), rel=1e-12)


def test_three_dimensions_against_a_spectral_program(vortex):
    """An incompressible pseudo-spectral program gave 0.117481 and 0.007769 at t = 1."""
    end = vortex("--size", 32, "--end", 1, "--chain", 3)
    assert end["kinetic_energy"] == pytest.approx(0.117481, rel=0.002)
    assert end["dissipation"] == pytest.approx(0.007769, rel=0.01)
    assert end["chains"] == math.ceil(end["steps"] / 3)


@pytest.mark.parametrize("dimensions,end", [(2, 1.0), (3, 0.5)])
def test_half_the_spacing_is_a_sixteenth_of_the_error(vortex, dimensions, end):
    """All runs have one short time step, so that the error is that of the space discretization."""
    energies = [vortex("--dimensions", dimensions, "--size", size, "--end", end, "--dt", 0.005,
                       "--reynolds", 20)["kinetic_energy"] for size in (12, 24, 48)]
    order = math.log2((energies[0] - energies[1]) / (energies[1] - energies[2]))
    assert order == pytest.approx(4, abs=0.3)


@pytest.mark.parametrize("dimensions,size", [(2, 37), (3, 13), (3, 9)])
def test_the_same_bits_however_it_runs(vortex, dimensions, size):
    runs = [vortex("--dimensions", dimensions, "--size", size, "--steps", 6, *options.split()) for options in [
        "--mode untiled --threads 1", "--threads 1", "--threads 2 --chain 2", "--threads 3 --tile 5x7x3 --chain 3",
        "--threads 7 --chain 5", "--threads 2 --tile 1x1x1", "--mode untiled --threads 2 --chain 5"]]
    for name in ("kinetic_energy", "dissipation"):
        assert len({run[name] for run in runs}) == 1, name
    assert [run["chains"] for run in runs] == [6, 6, 3, 2, 2, 6, 2]


def test_a_grid_of_threads_gives_the_same_bits(vortex):
    """With the tile, four threads divide planes and rows: bands of 20 planes alone would be thinner than their gaps."""
    runs = [vortex("--size", 80, "--steps", 2, *options.split())
            for options in ("--threads 1 --mode untiled", "--threads 4 --tile allx8x8", "--threads 6")]
    for name in ("kinetic_energy", "dissipation"):
        assert len({run[name] for run in runs}) == 1, name


def test_its_loops_do_what_they_declare(vortex):
    for dimensions in (2, 3):
        checked = vortex("--dimensions", dimensions, "--size", 10, "--steps", 1, "--mode", "checked")
        plain = vortex("--dimensions", dimensions, "--size", 10, "--steps", 1)
        assert checked["kinetic_energy"] == plain["kinetic_energy"]


def test_a_restart_goes_on_bit_for_bit(vortex, tmp_path):
    whole = vortex("--size", 12, "--steps", 11)
    vortex("--size", 12, "--steps", 7, "--checkpoint", 5)
    saved = tmp_path / "taylor-green.checkpoint.h5"
    assert vortex("--size", 12, "--steps", 11, "--restart", saved, "--threads", 1)["kinetic_energy"] == \
        whole["kinetic_energy"]
    assert "reynolds" in vortex("--size", 12, "--steps", 11, "--restart", saved, "--reynolds", 50, fails=2)
    vortex("--size", 13, "--steps", 11, "--restart", saved, fails=2)


def test_pictures_of_vorticity(vortex, tmp_path):
    vortex("--size", 16, "--steps", 4, "--frames", 2, "--frame-size", 64)
    assert len(list(tmp_path.glob("taylor-green_vorticity_*.png"))) == 2


def test_mistakes(vortex):
    for options in (["--dimensions", 4], ["--size", 0], ["--reynolds", -1], ["--tile", "0"], ["--steps", 1, "--end", 1]):
        vortex(*options, fails=2)
