"""Environments of a call: variables, limits, standard streams, a system without /proc.

Each is a list of changes of a Setting. Values may contain {work}, {home} and {tmp}, the folders of the call.
"""

import ctypes
import os
import re
import resource
from dataclasses import dataclass, field

LIMITS = {"f": resource.RLIMIT_FSIZE, "v": resource.RLIMIT_AS, "u": resource.RLIMIT_NPROC,
          "n": resource.RLIMIT_NOFILE, "s": resource.RLIMIT_STACK}
UNITS = {"f": 1024, "v": 1024, "s": 1024}  # units of the shell's ulimit, in bytes


@dataclass
class Setting:
    variables: dict = field(default_factory=dict)  # None removes the variable
    limits: dict = field(default_factory=dict)  # in the units of the shell's ulimit
    streams: dict = field(default_factory=dict)  # 0 to 2: a path, or None if the stream is closed
    no_proc: bool = False


FOLDER_VALUES = {
    "unset": None, "empty": "", "missing": "{work}/missing", "a file": "{work}/empty", "read-only": "{work}/locked",
    "with a comma": "{tmp}/a,b", "with a blank": "{tmp}/a b", "with a line break": "{tmp}/a\nb",
    "not UTF-8": "{tmp}/\udcff\udcfe", "relative": "folder", "a link loop": "{work}/loop", "/dev/null": "/dev/null",
    "/proc": "/proc", "very long": "/" + "x" * 5000, "long names": "{tmp}/" + "y" * 255,
}
VARIABLE_VALUES = {
    "empty": "", "missing": "{work}/missing", "a folder": "{work}/folder", "a link loop": "{work}/loop",
    "unreadable": "{work}/unreadable", "an empty file": "{work}/empty", "/dev/zero": "/dev/zero",
    "/dev/full": "/dev/full", "/proc/self/mem": "/proc/self/mem", "1": "1", "0": "0", "-1": "-1",
    "nan": "nan", "99999999999999999999": "9" * 20, "not UTF-8": "\udcff\udcfe", "long": "x" * 5000,
    "a line break": "a\nb", "a comma": "a,b",
}


def product_variables(source):
    """Returns the names of all variables ATOLL_* in strings of the sources."""
    names = set()
    for folder, _, files in os.walk(os.path.join(source, "src")):
        for name in files:
            if name.endswith((".cpp", ".hpp")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    names.update(re.findall(r'"(ATOLL_[A-Z_]+)"', file.read()))
    return sorted(names)


def environments(source, *, unprivileged, no_proc):
    """Returns {name: Setting}, without those that this computer doesn't permit."""
    made = {}
    for variable in ("HOME", "TMPDIR", "XDG_CACHE_HOME"):
        for name, value in FOLDER_VALUES.items():
            if variable != "XDG_CACHE_HOME" or name != "unset":
                made[f"{variable} {name}"] = Setting({variable: value})
    made["HOME and TMPDIR unset"] = Setting({"HOME": None, "TMPDIR": None})
    for variable in [*product_variables(source), "CXX"]:
        for name, value in VARIABLE_VALUES.items():
            made[f"{variable} {name}"] = Setting({variable: value})
    for value in (None, "", ".", "/missing", "x" * 5000):
        made[f"PATH {str(value)[:20] or 'empty'}"] = Setting({"PATH": value})
    for variable in ("LC_ALL", "LANG"):
        for value in ("tr_TR.UTF-8", "de_DE.UTF-8", "C", "POSIX", "garbage", "\udcff", "x" * 5000, "../../etc"):
            made[f"{variable} {value[:20]}"] = Setting({variable: value})
    for variable in ("COLUMNS", "TERM", "LD_PRELOAD"):
        for value in ("", "-1", "99999999999999999999", "nan"):
            if variable != "LD_PRELOAD" or not value:
                made[f"{variable} {value or 'empty'}"] = Setting({variable: value})
    for letter, values in (("f", (0, 1, 16, 256)), ("v", (100_000, 400_000)), ("n", (4, 8, 16)), ("s", (128,))):
        for value in values:
            made[f"ulimit -{letter} {value}"] = Setting(limits={letter: value})
    if unprivileged:
        for value in (1, 3):
            made[f"ulimit -u {value}"] = Setting(limits={"u": value})
    for stream, path in ((0, None), (0, "/dev/zero"), (0, "/"), (1, None), (1, "/dev/full"), (2, None),
                         (2, "/dev/full")):
        made[f"stream {stream} {path or 'closed'}"] = Setting(streams={stream: path})
    made["all streams closed"] = Setting(streams={0: None, 1: None, 2: None})
    if no_proc:
        made["no /proc"] = Setting(no_proc=True)
        made["no /proc, no HOME"] = Setting({"HOME": None}, no_proc=True)
    return made


CLONE_NEWNS, CLONE_NEWUSER, MS_REC, MS_PRIVATE = 0x20000, 0x10000000, 0x4000, 0x40000


def hide_proc():
    """Moves this process to a mount namespace in which /proc is empty. Raises OSError if that is not permitted."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(function, *arguments):
        if function(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "no own mounts")

    user, group = os.geteuid(), os.getegid()
    call(libc.unshare, CLONE_NEWNS if user == 0 else CLONE_NEWNS | CLONE_NEWUSER)
    if user != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    call(libc.mount, None, b"/", None, MS_REC | MS_PRIVATE, None)
    call(libc.mount, b"none", b"/proc", b"tmpfs", 0, None)
