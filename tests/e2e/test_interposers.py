"""Functions that several preloaded libraries define: each call passes through all of them in order."""

import subprocess

import pytest

# Libraries that are preloaded together, in the search order of the dynamic linker.
TOGETHER = [["record", "waits", "machine"], ["record", "waits"], ["record", "policies", "machine"],
            ["record", "policies"], ["follow"], ["place"]]


def defined(library):
    """Returns the functions that a library exports for programs, not for Atoll itself."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    found = (line.split() for line in lines.splitlines())
    return {words[2].partition("@")[0] for words in found if words[1] in "TW"} - {"_init", "_fini"}


def looked_up(library, tmp_path):
    """Returns the constants of a library, including the names that it looks up in later libraries."""
    constants = tmp_path / "constants"
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata*", library, constants], check=True)
    return set(constants.read_bytes().split(b"\0"))


@pytest.mark.parametrize("names", TOGETHER, ids="+".join)
def test_each_definition_calls_the_next(build, names, tmp_path):
    libraries = [build / f"lib/atoll/libatoll-{name}.so" for name in names]
    functions = [defined(library) for library in libraries]
    assert all(functions)
    for i, library in enumerate(libraries):
        behind = set().union(*functions[i + 1:]) if i + 1 < len(libraries) else set()
        both = {name for name in functions[i] & behind if not name.startswith("atoll_")}
        names_of = looked_up(library, tmp_path)
        # A shorter name may be the suffix of a longer constant.
        lost = {name for name in both if not any(one.endswith(name.encode()) for one in names_of)}
        assert lost == set(), library.name


def test_calls_that_place_memory_are_seen_by_one(build):
    """Only one library defines madvise(), so that each call acts on sampled pages and is reported to the simulator."""
    seen = [name for name in ["record", "waits", "machine"]
            if "madvise" in defined(build / f"lib/atoll/libatoll-{name}.so")]
    assert seen == ["record"]
