"""tools/lint-changes refuses subjects of new commits, and changed comments, that violate CONTRIBUTING.md."""

import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parent.parent.parent / "tools"


class Clone:
    def __init__(self, folder):
        self.folder = folder
        (folder / "tools").mkdir()
        for name in ("lint-changes", "source_comments.py"):
            shutil.copy(TOOLS / name, folder / "tools")
        self.git("init", "-q")
        self.commit("a.cpp", "// What was there before.\nint a;\n", "tools: add a rule")

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=self.folder, check=True)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def commit(self, name, text, subject):
        self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-qm", subject)

    def lint(self):
        done = subprocess.run([self.folder / "tools/lint-changes"], capture_output=True, text=True)
        assert done.returncode == (1 if done.stderr else 0)
        return done.stderr.splitlines()


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


def test_old_comments_and_good_changes_pass(clone):
    assert clone.lint() == []
    clone.commit("a.cpp", "// What was there before.\nint a;\n// Number of b, in bytes.\nint b;\n", "a: add b" + 64 * "b")
    assert clone.lint() == []


@pytest.mark.parametrize("word", ["What", "Who", "Whose", "How", "Where", "Of", "Nothing"])
def test_clauses_are_refused(clone, word):
    # It finds them in the working tree and in a commit, in a block and at the end of a line.
    clone.write("a.cpp", f"// What was there before.\nint a;\n/// {word} is in b,\n/// what else?\nint b;  ///< {word} c\n")
    found = clone.lint()
    assert [line.split(": ")[0] for line in found] == ["a.cpp:3", "a.cpp:5"] and all(f'"{word}"' in line for line in found)
    clone.git("commit", "-qam", "a: add b")
    assert clone.lint() == found


def test_texts_and_words_that_only_begin_so_pass(clone):
    clone.write("b.hpp", 'const char* b = "// What";\n// Offset of b.\n// whatever\nint n = 1\'000;  // However, c\n')
    clone.git("add", "-A")
    assert clone.lint() == []


def test_long_subjects_are_refused(clone):
    clone.commit("c.cpp", "int c;\n", "c: add c" + 65 * "c")
    line, = clone.lint()
    assert line.startswith("c: add cc") and "has 73 characters" in line
