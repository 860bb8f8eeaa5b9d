"""Configuring: the compiler's launcher, builds without the parts whose libraries are missing, and the targets of
demonstrations."""

import gzip
import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def configure(folder, *options, check=True, **environment):
    """Configures without tests and benchmarks, with these variables and without the compiler launcher of the
    caller's environment."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_COMPILER_LAUNCHER")}
    done = subprocess.run([TOP / "tools/build", folder, "-DATOLL_TESTS=OFF", "-DATOLL_BENCH=OFF", *options,
                           "--configure-only"], text=True, capture_output=True, cwd=TOP, env=dict(kept, **environment))
    assert not check or done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("options, used", [([], True), (["-DCMAKE_CXX_COMPILER_LAUNCHER=env"], False),
                                           (["-DCMAKE_CXX_COMPILER_LAUNCHER="], False)])
def test_ccache_is_used_unless_a_launcher_is_set(tmp_path, options, used):
    ccache = tmp_path / "bin/ccache"
    ccache.parent.mkdir()
    ccache.write_text("#!/bin/sh\nexec \"$@\"\n")
    ccache.chmod(0o755)
    configure(tmp_path / "build", *options, PATH=f"{ccache.parent}:{os.environ['PATH']}")
    commands = subprocess.run(["ninja", "-C", tmp_path / "build", "-t", "commands", "atoll"], text=True, check=True,
                              capture_output=True).stdout
    compilations = [line for line in commands.splitlines() if line.endswith("src/threads/team.cpp")]
    assert compilations and all((str(ccache) in line) == used for line in compilations)


CORE = ["hwloc", "libxxhash", "numa"]  # fmt, zlib, CLI11 and nlohmann-json are found as CMake packages, METIS as a file
LEFT_OUT = {
    "ATOLL_ARCHIVES": "reading of compressed graphs: not found: libarchive; tools/install-deps build brings it",
    "ATOLL_STENCIL_OUTPUT": "files and pictures of stencil programs: not found: hdf5-serial, libpng, freetype2, fontconfig;"
                            " tools/install-deps build brings it",
    "ATOLL_RECORDING": "recording of programs (profile, trace, report, diff, advise, schedule, run -- COMMAND): not found:"
                       " sqlite3, libdw, libzstd; tools/install-deps build brings it",
    "ATOLL_SIMULATE": "simulation of other machines: it needs ATOLL_RECORDING"}


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """Configures a build where pkg-config finds the core's libraries only. Returns its folder and the output."""
    folder = tmp_path_factory.mktemp("core")
    (folder / "pkg").mkdir()
    for name in CORE:
        found = subprocess.run(["pkg-config", "--variable=pcfiledir", name], text=True, check=True, capture_output=True)
        (folder / "pkg" / f"{name}.pc").symlink_to(Path(found.stdout.strip()) / f"{name}.pc")
    done = configure(folder / "build", "-DATOLL_TESTS=ON", "-DATOLL_BENCH=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON",
                     PKG_CONFIG_LIBDIR=str(folder / "pkg"))
    return folder / "build", done.stderr.splitlines()


def test_each_part_that_is_left_out_is_reported_once(core):
    _, lines = core
    assert lines == [f"Not built: {text}" for text in LEFT_OUT.values()] + [
        "Not built: end-to-end tests: they need all parts", "Not built: benchmarks: they need all parts"]


def test_parts_can_be_switched_off(tmp_path):
    parts = ["ATOLL_ARCHIVES", "ATOLL_STENCIL", "ATOLL_RECORDING"]
    lines = configure(tmp_path, *(f"-D{part}=OFF" for part in parts)).stderr.splitlines()
    assert [line.split(": ")[-1] for line in lines] == [
        "ATOLL_ARCHIVES is OFF", "ATOLL_STENCIL is OFF", "it needs ATOLL_STENCIL", "ATOLL_RECORDING is OFF",
        "it needs ATOLL_RECORDING"]
    assert not list(tmp_path.glob("atoll-*.pc"))


def test_without_zydis_the_front_end_dbi_is_left_out(tmp_path):
    lines = configure(tmp_path, "-DZYDIS=OFF").stderr.splitlines()
    assert lines == ["Not built: the front end dbi: not found: Zydis; tools/install-deps build brings it"]
    commands = subprocess.run(["ninja", "-C", tmp_path, "-t", "commands"], text=True, check=True,
                              capture_output=True).stdout
    assert "src/record/emulator/emulator.cpp" in commands and "src/record/emulator/plugin.cpp" not in commands


def test_a_core_build_names_nothing_of_the_other_libraries(core):
    folder, _ = core
    commands = subprocess.run(["ninja", "-C", folder, "-t", "commands"], text=True, check=True, capture_output=True).stdout
    assert "src/threads/team.cpp" in commands and "array_tests" in commands
    for word in ["libarchive", "-larchive", "hdf5", "png", "freetype", "fontconfig", "sqlite", "libdw", "libzstd",
                 "cloverleaf2d.cpp", "atoll_recording.dir", "atoll_recorder.dir", "simulate_tests", "profile_tests"]:
        lines = [line for line in commands.splitlines() if word in line]
        assert not lines, (word, lines[:1])
    assert "libarchive" not in (folder / "atoll.pc").read_text()
    assert [path.name for path in folder.glob("atoll-*.pc")] == ["atoll-stencil.pc"]


@pytest.fixture(scope="module")
def core_atoll(core, build, sanitized, tmp_path_factory):
    """Returns the core's `atoll`, linked with the core's libraries only. Objects of the library that don't depend on
    parts are taken from the build under test."""
    if sanitized:
        pytest.skip("objects of a build with a sanitizer don't fit others")
    folder, _ = core
    commands = subprocess.run(["ninja", "-C", folder, "-t", "commands", "atoll"], text=True, check=True,
                              capture_output=True).stdout
    own = {word for word in commands.split() if re.fullmatch(r"src/CMakeFiles/atoll-cli.dir/\S+\.o", word)}
    own.add("src/CMakeFiles/atoll.dir/graph/unpacker_missing.cpp.o")
    subprocess.run(["ninja", "-C", folder, *own], check=True, capture_output=True)
    program = tmp_path_factory.mktemp("bin") / "atoll"
    subprocess.run(["g++", "-fopenmp", *(folder / name for name in own),
                    build / "src/libatoll.a", "-lfmt", "-lz", "-lhwloc", "-lxxhash", "-lnuma", "-lmetis", "-o", program],
                   check=True)
    return program


def test_the_core_works_and_says_what_it_lacks(core_atoll, tmp_path):
    def call(*words):
        return subprocess.run([core_atoll, *words], text=True, capture_output=True, cwd=tmp_path)

    assert call("graph", "generate", "rmat", "--scale", "4", "-o", "g.atoll").returncode == 0
    assert call("graph", "info", "g.atoll").returncode == 0
    (tmp_path / "g.el.gz").write_bytes(gzip.compress(b"0 1\n1 2\n"))
    for words, message in [
            (["graph", "info", "g.el.gz"], "g.el.gz: is packed, and this build has no libarchive; unpack it, and name the"
                                           " graph's file"),
            (["profile", "--", "true"], "profile: this build of atoll lacks the verb; build Atoll with ATOLL_RECORDING=ON"
                                        " and its libraries"),
            (["simulate", "--help"], "simulate: this build of atoll lacks the verb; build Atoll with ATOLL_SIMULATE=ON and"
                                     " its libraries"),
            (["run", "--", "true"], "--: this build of atoll runs Green-Marl programs only, no commands; build Atoll with"
                                    " ATOLL_RECORDING=ON and its libraries")]:
        done = call(*words)
        assert (done.returncode, done.stderr) == (2, f"atoll: {message}\n")
    assert "profile" not in call("--help").stdout


@pytest.mark.parametrize("rule, script", [("demo", "run"), ("flow", "flow")])
def test_demonstrations_build_what_they_run_and_no_more(rule, script):
    commands = subprocess.run(["make", "-n", rule], text=True, check=True, capture_output=True, cwd=TOP).stdout
    built = {"atoll" if name == "atoll-cli" else name for name in re.findall(r"--target (\S+)", commands)}
    text = (TOP / "demo" / script).read_text()
    loaded = {"atoll-machine", "atoll-policies", "atoll-waits"} if "atoll simulate" in text else set()  # preloaded
    assert built == {*re.findall(r'"(atoll\w*) ', text), *re.findall(r"\$build/apps/([\w-]+)", text), *loaded}
