"""docs/howto-add-a-layout.md is followed: its diffs and its test go into a copy of the source, and what
knows layouts there is compiled and linked before the library as it was built. What else the linker takes
from the library only knows pages; a second object of the compiled files would be an error."""

import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest


@pytest.fixture(scope="module")
def page(source):
    return (source / "docs/howto-add-a-layout.md").read_text()


@pytest.fixture(scope="module")
def tree(source, page, tmp_path_factory):
    """A copy of the source in which all steps are done."""
    tree = tmp_path_factory.mktemp("howto")
    for part in ("include", "src", "tests/unit"):
        (tree / part).parent.mkdir(exist_ok=True)
        subprocess.run(["cp", "-r", source / part, tree / part], check=True)
    for diff in re.findall(r"^```diff\n(.*?)^```", page, re.M | re.S):
        applied = subprocess.run(["git", "apply", "--verbose", "-"], input=diff, cwd=tree, text=True,
                                 capture_output=True)
        assert applied.returncode == 0, f"a step doesn't fit the source: {applied.stderr}{diff}"
    for path, text in re.findall(r"^```cpp (\S+)\n(.*?)^```", page, re.M | re.S):
        (tree / path).write_text(text)
    return tree


def test_it_works(tree, build, tmp_path):
    flags = "-std=c++20 -O0 -fopenmp -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror"
    packages = subprocess.run(["pkg-config", "--libs", "hwloc", "libxxhash", "fmt", "zlib", "gmock", "gtest_main"],
                              capture_output=True, text=True, check=True).stdout
    sources = [*(tree / "src/plan").glob("*.cpp"), tree / "src/array/placements.cpp",
               tree / "src/array/raw_array.cpp", tree / "tests/unit/array_block_cyclic_test.cpp"]

    def compile_one(file):
        command = ["g++", *shlex.split(flags), f"-I{tree}/include", f"-I{tree}/src", f"-I{tree}/tests/unit",
                   "-c", file, "-o", tmp_path / f"{file.stem}.o"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{file.name}: {done.stderr[:4000]}"
        return tmp_path / f"{file.stem}.o"

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, sources))
    program = tmp_path / "tests"
    subprocess.run(["g++", "-fopenmp", *objects, build / "src/libatoll.a", *shlex.split(packages), "-lnuma",
                    "-o", program], check=True)
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0 and "PASSED  ] 4 tests" in ran.stdout, ran.stdout


def test_what_it_names_is_there(source, page):
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \|$", page, re.M)
    assert len(rows) == 7
    for path, what in rows:
        for name in re.findall("`([^`]+)`", what):
            assert name in (source / path).read_text(), f"{path} has no {name}"
    for path in re.findall(r"`((?:tests|src|docs|include)/[^`*]+)`", page):
        assert (source / path).exists(), path
    for name, path in re.findall(r"`(\w+)(?:\(\))?` in\s+`(tests/[^`]+)`", page):
        assert name in (source / path).read_text(), f"{path} has no {name}"
