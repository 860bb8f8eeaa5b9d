"""The installed package, after the tree was moved: programs are built with it by CMake and by pkg-config, and
`atoll run` finds headers and library relative to itself."""

import os


def test_cmake_package(run, prefix, source, tmp_path):
    run("cmake", "-S", source / "tests/install/program", "-B", tmp_path, "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    assert "sum 500000.0" in run(tmp_path / "uses_atoll")


def test_pkg_config(run, flags, source, tmp_path):
    run("g++", "-std=c++20", "-O2", source / "tests/install/program/main.cpp", "-o", tmp_path / "uses",
        *flags)
    assert "sum 500000.0" in run(tmp_path / "uses")


def test_installed_example_for_streams(run, flags, prefix, tmp_path):
    program = tmp_path / "streamcluster"
    run("g++", "-std=c++20", "-O2", "-fopenmp-simd", "-DFMT_HEADER_ONLY",
        prefix / "share/atoll/apps/streamcluster.cpp", "-o", program, *flags)
    assert "2 centres" in run(program, *"1 2 1 2 2 2 none".split(), tmp_path / "centres", "1")
    assert (tmp_path / "centres").read_text() == "0\n1.000000\n0.041630 \n\n1\n1.000000\n0.454492 \n\n"


def test_compiled_programs_find_the_headers(run, prefix, tmp_path):
    environment = dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "cache"))
    graph = tmp_path / "ring.el"
    graph.write_text("".join(f"{i} {(i + 1) % 100}\n" for i in range(100)))
    out = run(prefix / "bin/atoll", "run", prefix / "share/atoll/apps/greenmarl/pagerank.gm", "--graph", graph,
              "--arg", "e=1e-9", "--arg", "d=0.85", "--arg", "max=100", env=environment, cwd=tmp_path)
    assert "Highest pg_rank" in out


def test_the_reader_of_profiles_is_there(run, prefix):
    assert "first_touch" in run(prefix / "share/atoll/atoll_profile.py", "--help")
