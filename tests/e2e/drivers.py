"""Compiler drivers of the build, and programs built by them."""

import re
import subprocess
import textwrap


def drivers(build):
    """Returns the names of the compilers that have a front end: the clang of the plugin's version, and gcc."""
    versions = sorted(int(re.search(r"\d+", path.name).group()) for path in (build / "lib/atoll").glob("atoll-pass-*.so"))
    assert len(versions) == 1
    return [f"clang-{version}" for version in versions] + ["gcc"]


class Compiler:
    def __init__(self, build, name):
        self.frontend = "gcc" if name == "gcc" else "compiled"
        self.choice = [] if name == "gcc" else ["--atoll-clang=" + name.split("-")[1]]
        self.c = build / ("atollgcc" if name == "gcc" else "atollcc")
        self.cplusplus = build / ("atollg++" if name == "gcc" else "atollc++")

    def run(self, *arguments, cplusplus=False, check=True, **more):
        return subprocess.run([self.cplusplus if cplusplus else self.c, *self.choice, *map(str, arguments)],
                              check=check, **more)

    def build(self, folder, text, *flags, cplusplus=False, name="program"):
        source = folder / (name + (".cpp" if cplusplus else ".c"))
        source.write_text("#define PAGES __attribute__((aligned(4096)))\n"
                          "#define APART __attribute__((noinline))\n" + textwrap.dedent(text))
        self.run(*flags, source, "-o", folder / name, cplusplus=cplusplus)
        return folder / name
