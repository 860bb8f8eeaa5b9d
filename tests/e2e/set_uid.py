"""Programs with more privileges than the user who starts them."""

import ctypes
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest

USER = 65534
IN_OPEN = 0x20


class SetUid:
    """A folder that every user may read, with privileged programs. Root makes them set-uid root and starts them as
    another user. Other users assign them to a second group of theirs and make them set-gid."""

    def __init__(self):
        self.is_root = os.geteuid() == 0
        groups = [group for group in os.getgroups() if group != os.getgid()]
        if not self.is_root and not groups:
            pytest.skip("neither root nor member of a second group: no program can be given privileges")
        self.group = os.getgid() if self.is_root else groups[0]
        self.folder = Path(tempfile.mkdtemp(prefix="atoll-set-uid-"))
        self.folder.chmod(0o755)
        shows = self.make(shutil.which("id"))
        if self.run(shows, "-u" if self.is_root else "-g").stdout != f"{0 if self.is_root else self.group}\n":
            self.remove()
            pytest.skip("set-uid programs get no rights here: the folder for temporary files is mounted nosuid, "
                        "or this process has no_new_privs")

    def remove(self):
        shutil.rmtree(self.folder)

    def give_privileges(self, program):
        os.chown(program, os.geteuid(), self.group)
        program.chmod(0o4755 if self.is_root else 0o2755)

    def make(self, program):
        """Creates a copy of a program, with privileges."""
        copy = self.folder / Path(program).name
        shutil.copy(program, copy)
        self.give_privileges(copy)
        return copy

    def run(self, *command, environment=(), as_owner=False):
        as_user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        return subprocess.run([*(as_user if self.is_root and not as_owner else []), *map(str, command)],
                              capture_output=True, text=True, timeout=300, cwd=self.folder,
                              env=dict(os.environ, **dict(environment)))


class Opens:
    """Counts with inotify how often a file is opened."""

    def __init__(self, path):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.file = self.libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self.file >= 0
        assert self.libc.inotify_add_watch(self.file, os.fsencode(path), IN_OPEN) >= 0

    def count(self):
        """Returns how often the file was opened since the last call."""
        try:
            events = os.read(self.file, 1 << 16)
        except BlockingIOError:
            return 0
        count = at = 0
        while at < len(events):
            count += 1
            at += 16 + struct.unpack_from("iIII", events, at)[3]
        return count
