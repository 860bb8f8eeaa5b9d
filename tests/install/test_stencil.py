"""The guide's stencil program is built against the installed package, by pkg-config and by CMake. Its output
equals the guide's, and the result of plain loops."""

import os
import re
import shlex

import pytest


@pytest.fixture(scope="module")
def heat(source):
    """Returns the guide's program and its output."""
    ((code, said),) = re.findall(r"^```c\+\+\n(.*?)^```\n^```text\n(.*?)^```\n", (source / "docs/guide.md").read_text(),
                                 re.M | re.S)
    assert code.count("\n") < 40
    return code, said


def by_hand():
    """Returns the output for the same heat equation, computed by plain loops. Each row is a list; neighbours
    beyond the plate equal the cell itself."""
    size, rows = 200, []
    for y in range(size):
        rows.append([100.0 if x < 40 and y < 80 else 0.0 for x in range(size)])
    for step in range(1, 251):
        below, above = [rows[0]] + rows[:-1], rows[1:] + [rows[-1]]
        rows = [[c + 0.2 * (right + left + up + down - 4 * c)
                 for c, left, right, down, up in zip(row, [row[0]] + row[:-1], row[1:] + [row[-1]], low, high)]
                for low, row, high in zip(below, rows, above)]
    return f"step  250: {max(map(max, rows)):.6f}\n"


def test_by_pkg_config(run, prefix, heat, tmp_path):
    code, said = heat
    (tmp_path / "heat.cpp").write_text(code)
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "atoll-stencil", env=environment))
    assert "-ffp-contract=off" in flags
    run("g++", "-std=c++20", "-Wall", "-Wextra", tmp_path / "heat.cpp", "-o", tmp_path / "heat", *flags)
    assert run(tmp_path / "heat") == said
    assert said.startswith(by_hand())


def test_by_cmake(run, prefix, heat, tmp_path):
    code, said = heat
    (tmp_path / "heat.cpp").write_text(code)
    (tmp_path / "CMakeLists.txt").write_text("""\
cmake_minimum_required(VERSION 3.25)
project(Heat LANGUAGES CXX)
find_package(Atoll 0.1 REQUIRED)
add_executable(heat heat.cpp)
target_link_libraries(heat PRIVATE Atoll::stencil)
""")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_STANDARD=20",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    run("cmake", "--build", tmp_path / "b")
    assert "-fno-math-errno" in (tmp_path / "b/compile_commands.json").read_text()
    assert run(tmp_path / "b/heat") == said


def test_the_wave_of_the_stencils_page(run, prefix, source, tmp_path):
    """The program prints its results next to the exact ones."""
    ((code, said),) = re.findall(r"^```c\+\+\n(.*?)^```\n^```text\n(.*?)^```\n",
                                 (source / "docs/stencil.md").read_text(), re.M | re.S)
    assert code.count("\n") < 40
    (tmp_path / "wave.cpp").write_text(code)
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "atoll-stencil", env=environment))
    run("g++", "-std=c++20", "-Wall", "-Wextra", tmp_path / "wave.cpp", "-o", tmp_path / "wave", *flags)
    assert run(tmp_path / "wave") == said
    lines = said.splitlines()
    assert len(lines) == 4
    for line in lines:
        ours, exact = re.findall(r"-?\d\.\d+", line)
        assert float(ours) == pytest.approx(float(exact), abs=2e-9)
