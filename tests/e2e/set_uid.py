"""Programs with root's rights, started by another user."""

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
    """A folder that every user may read, and ways to start set-uid programs in it as another user."""

    def __init__(self):
        if os.geteuid() != 0:
            pytest.skip("only root can make a program that is set-uid root")
        self.folder = Path(tempfile.mkdtemp(prefix="atoll-set-uid-"))
        self.folder.chmod(0o755)
        shows = self.make(shutil.which("id"))
        if self.run(shows, "-u").stdout != "0\n":
            self.remove()
            pytest.skip("set-uid programs get no rights here: the folder for temporary files is mounted nosuid, "
                        "or this process has no_new_privs")

    def remove(self):
        shutil.rmtree(self.folder)

    def make(self, program):
        """A set-uid copy of a program."""
        copy = self.folder / Path(program).name
        shutil.copy(program, copy)
        copy.chmod(0o4755)
        return copy

    def run(self, *command, environment=(), user=USER):
        return subprocess.run(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *map(str, command)],
                              capture_output=True, text=True, timeout=300, cwd=self.folder,
                              env=dict(os.environ, **dict(environment)))


class Opens:
    """Counts how often a file is opened, by inotify."""

    def __init__(self, path):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.file = self.libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self.file >= 0
        assert self.libc.inotify_add_watch(self.file, os.fsencode(path), IN_OPEN) >= 0

    def count(self):
        """The number since the last call."""
        try:
            events = os.read(self.file, 1 << 16)
        except BlockingIOError:
            return 0
        count = at = 0
        while at < len(events):
            count += 1
            at += 16 + struct.unpack_from("iIII", events, at)[3]
        return count
