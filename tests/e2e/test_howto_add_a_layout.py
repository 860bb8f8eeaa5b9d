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
def steps(page):
    """Each step that changes a file, as a diff."""
    diffs = re.findall(r"^```diff\n(.*?)^```", page, re.M | re.S)
    assert len(diffs) == 5
    return diffs


@pytest.fixture
def tree(source, tmp_path):
    """A copy of the source."""
    for part in ("include", "src", "tests/unit"):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        subprocess.run(["cp", "-r", source / part, tmp_path / part], check=True)
    return tmp_path


def apply(diff, tree):
    applied = subprocess.run(["git", "apply", "--verbose", "-"], input=diff, cwd=tree, text=True,
                             capture_output=True)
    assert applied.returncode == 0, f"a step doesn't fit the source: {applied.stderr}{diff}"


def compile_all(tree, sources, *flags):
    """By source: the compiler's errors, "" for none."""

    def compile_one(file):
        command = ["g++", *"-std=c++20 -O0 -fopenmp -Wall -Wextra -Wshadow -Wconversion".split(),
                   "-Wno-sign-conversion", "-Wno-missing-field-initializers", "-Werror", "-Iinclude",
                   "-Isrc", "-Itests/unit", *flags, file]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
        return done.stderr if done.returncode != 0 else ""

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(sources, pool.map(compile_one, sources)))


def test_the_compiler_names_each_file_to_change(tree, steps):
    apply(steps[0], tree)
    changed = [re.search(r"^--- a/(\S+)", step)[1] for step in steps[1:]]
    for file, errors in compile_all(tree, changed, "-fsyntax-only").items():
        assert "BlockCyclic" in errors, file


def test_it_works(tree, steps, page, build):
    for step in steps:
        apply(step, tree)
    ((test, text),) = re.findall(r"^```cpp (\S+)\n(.*?)^```", page, re.M | re.S)
    (tree / test).write_text(text)
    sources = [*(f"src/plan/{file.name}" for file in (tree / "src/plan").glob("*.cpp")),
               "src/array/placements.cpp", "src/array/raw_array.cpp", test]
    for file, errors in compile_all(tree, sources, "-c").items():
        assert errors == "", f"{file}: {errors[:4000]}"
    packages = subprocess.run(["pkg-config", "--libs", "hwloc", "libxxhash", "libarchive", "fmt", "zlib", "gmock",
                               "gtest_main"], capture_output=True, text=True, check=True).stdout
    program = tree / "block_cyclic_tests"
    subprocess.run(["g++", "-fopenmp", *tree.glob("*.o"), build / "src/libatoll.a",
                    *shlex.split(packages), "-lnuma", "-o", program], check=True)
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
