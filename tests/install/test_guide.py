"""docs/guide.md and docs/graph-runtime.md are correct: their code compiles against the installed tree and
prints the output that they show, and the guide's links have targets."""

import re

import pytest

MARK = "== next block"


@pytest.fixture(scope="module")
def guide(source):
    return (source / "docs/guide.md").read_text()


@pytest.fixture(scope="module")
def blocks(guide):
    """Returns pairs of code and the output that the guide shows, "" if none."""
    found = re.findall(r"^```cpp\n(.*?)^```\n(?:^```text\n(.*?)^```\n)?", guide, re.M | re.S)
    assert len(found) == guide.count("\n```cpp\n") > 10
    return found


@pytest.fixture(scope="module")
def printed(run, blocks, flags, tmp_path_factory):
    """Returns the output of each block. All blocks are one program."""
    folder = tmp_path_factory.mktemp("guide")
    first, *others = [code for code, _ in blocks]
    first = first.replace("\n\n", "\nint main() {\n", 1)  # after the includes
    program = f'std::puts("{MARK}");\n'.join([first, *others]) + "}\n"
    (folder / "guide.cpp").write_text(program)
    run("g++", "-std=c++20", "-Wall", "-Wextra", "-Wno-unused", "-Werror", folder / "guide.cpp", "-o",
        folder / "guide", *flags)
    return run(folder / "guide").split(MARK + "\n")


def test_code_prints_what_the_guide_says(blocks, printed):
    assert len(printed) == len(blocks)
    for (code, said), out in zip(blocks, printed):
        assert out == said, code


def test_the_graph_runtimes_page_prints_what_it_says(run, source, flags, tmp_path):
    (code, said), = re.findall(r"^```cpp\n(.*?)^```\n^```text\n(.*?)^```\n", (source / "docs/graph-runtime.md").read_text(),
                               re.M | re.S)
    (tmp_path / "runtime.cpp").write_text(code)
    run("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", tmp_path / "runtime.cpp", "-o", tmp_path / "runtime", *flags)
    assert run(tmp_path / "runtime") == said


def test_links_lead_somewhere(source, guide):
    for name, anchor in re.findall(r"\]\(([\w.-]*)(?:#([\w-]+))?\)", guide):
        page = source / "docs" / (name or "guide.md")
        assert page.exists(), name
        headings = [re.sub(r"[^\w -]", "", line.lower()).strip().replace(" ", "-")
                    for line in re.findall(r"^#+ (.*)", page.read_text(), re.M)]
        assert not anchor or anchor in headings, f"{name}#{anchor}"
