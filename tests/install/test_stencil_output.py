"""Files of stencil programs, written by a program that is built against the installed package."""

import os
import shlex

LISTS = """\
cmake_minimum_required(VERSION 3.25)
project(UsesOutput LANGUAGES CXX)
find_package(Atoll 0.1 REQUIRED COMPONENTS stencil_output)
add_executable(writes "{source}/tests/programs/write_stencil.cpp")
target_link_libraries(writes PRIVATE Atoll::stencil Atoll::stencil_output)
"""


def check(run, program, folder):
    run(program, folder)
    assert (folder / "flat_000020.h5").read_bytes().startswith(b"\x89HDF\r\n\x1a\n")
    assert (folder / "wave_000011.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_cmake_package(run, prefix, source, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(LISTS.format(source=source))
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    check(run, tmp_path / "build/writes", tmp_path)


def test_pkg_config(run, prefix, source, tmp_path):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "atoll-stencil-output", env=environment))
    run("g++", "-std=c++20", source / "tests/programs/write_stencil.cpp", "-o", tmp_path / "writes", *flags)
    check(run, tmp_path / "writes", tmp_path)
