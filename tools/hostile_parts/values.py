"""Odd values, and odd paths, which are relative to the working folder of each call."""

import os

TEXTS = [
    "", " ", "-", "--", "0", "-1", "-0", "+1", " 1", "1 ", "1.5", "1,5", "0x10", "nan", "-nan", "inf", "-inf",
    "99999999999999999999", "-99999999999999999999", "18446744073709551616", "9223372036854775808", "1e9999", "0x10",
    "1e-9999", ",", ",,,", "a,b", "0,1", "=", "a=", "=b", "a=b=c", ":", "line\nbreak", "tab\there", "\x1b[31mred",
    "\udcff\udcfe", "caf\udce9", "é", "x" * 300, "x" * 5000, "%s%n%d", "$(touch ran)", "; touch ran", "`touch ran`",
    "-o", "--json", "'", '"', "\\", "{}", "[]", "null", "*", "~", "1" * 400, "4k", "1TiB", "99999999999999999999GiB",
]
NUMBERS = ["", "0", "-1", "nan", "inf", "-inf", "99999999999999999999", "1e9999", "1e308", "1e-308", "-0.0", "1e5",
           "0x10", "1 ", "1.5", "1,5", "9223372036854775808", "18446744073709551617", "x"]
NOT_NUMBERS = {"", " ", "-", "--", "nan", "-nan", "99999999999999999999", "-99999999999999999999", "1e9999", "0x10",
               "line\nbreak", "a,b", "1 ", "é", "x" * 300}
NAMES = ["n" * 255, "bin\udcff\udcfe", "with\nbreak", "with,comma", "with blank", "-dash", "a=b"]
PATHS = [
    "folder", "folder/", ".", "/", "missing", "missing/file", "empty", "unreadable", "loop", "dangling", "locked",
    "/dev/zero", "/dev/full", "/dev/null", "/dev/stdin", "/proc/self/mem", "/proc/self/environ", "/proc/self/fd/0",
    "n" * 255, "n" * 256, "x/" * 2500, "bin\udcff\udcfe", "with\nbreak", "with,comma", "with blank", "-dash", "a=b",
]
OUTPUTS = [
    "folder", ".", "missing/file", "present", "link", "dangling", "loop", "locked/file", "/dev/zero", "/dev/full",
    "/dev/null", "/proc/self/mem", "-", "", "n" * 246, "n" * 250, "n" * 255, "n" * 256, "out\udcff", "out\nbreak",
    "out,comma", "-dash", "/proc/file", "out.el", "out.graph", "out.mtx", "empty/file", "unreadable",
]


def furnish(folder):
    """Creates the files and folders that PATHS and OUTPUTS name."""
    for name in ("folder", "locked"):
        os.mkdir(os.path.join(folder, name))
    for name, content in (("empty", b""), ("unreadable", b"0 1\n1 2\n"), ("present", b"kept\n")):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    for name, target in (("loop", "loop"), ("dangling", "nowhere"), ("link", "present")):
        os.symlink(target, os.path.join(folder, name))


def lock(folder):
    """Removes permissions. Called last, as no file can be created in `locked` afterwards."""
    os.chmod(os.path.join(folder, "unreadable"), 0)
    os.chmod(os.path.join(folder, "locked"), 0o555)
