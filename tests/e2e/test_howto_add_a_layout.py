"""docs/howto-add-a-layout.md is followed: its diffs and its test go into a copy of the source. Every file of src
that includes a changed header is compiled: no other file can be affected. Those that know layouts are linked before
the library as it was built. The other objects that the linker takes from the library only know pages; a second object
of the compiled files would be an error."""

import functools
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


def changed_files(steps):
    return [re.search(r"^--- a/(\S+)", step)[1] for step in steps]


def libraries_flags():
    return shlex.split(subprocess.run(["pkg-config", "--cflags", "hdf5", "libpng", "freetype2"], capture_output=True,
                                      text=True, check=True).stdout)


def test_the_compiler_names_each_file_to_change(tree, steps):
    apply(steps[0], tree)
    for file, errors in compile_all(tree, changed_files(steps)[1:], "-fsyntax-only").items():
        assert "BlockCyclic" in errors, file


def files_that_include(tree, headers):
    """The files of src that include one of the headers, directly or by way of others."""

    @functools.lru_cache(None)
    def included_by(file):
        names = re.findall(r'^\s*#\s*include\s*"([^"]+)"', (tree / file).read_text(), re.M)
        found = [next((f"{folder}/{name}" for folder in ("include", "src") if (tree / folder / name).exists()), None)
                 for name in names]
        return [name for name in found if name]  # the rest are made by the build

    def reaches(file):
        seen, open_files = {file}, [file]
        while open_files:
            for name in included_by(open_files.pop()):
                if name not in seen:
                    seen.add(name)
                    open_files.append(name)
        return not seen.isdisjoint(headers)

    return sorted(str(file.relative_to(tree)) for file in (tree / "src").rglob("*.cpp")
                  if reaches(str(file.relative_to(tree))))


def test_it_works(tree, steps, page, build):
    for step in steps:
        apply(step, tree)
    ((test, text),) = re.findall(r"^```cpp (\S+)\n(.*?)^```", page, re.M | re.S)
    (tree / test).write_text(text)
    sources = [*(f"src/plan/{file.name}" for file in (tree / "src/plan").glob("*.cpp")),
               "src/array/placements.cpp", "src/array/raw_array.cpp", test]
    for file, errors in compile_all(tree, sources, "-c").items():
        assert errors == "", f"{file}: {errors[:4000]}"
    affected = files_that_include(tree, [changed for changed in changed_files(steps) if changed.endswith("hpp")])
    assert len(affected) > 100 and "src/simulate/planned.cpp" in affected
    others = [file for file in affected if file not in sources]
    for file, errors in compile_all(tree, others, "-fsyntax-only", "-Wno-error", *libraries_flags()).items():
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
