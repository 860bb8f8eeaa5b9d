"""Profiles of programs, with queries for tests of front ends."""

import sqlite3
import subprocess


class Watched:
    """A profile, and the exit code and output of the program under `atoll profile`."""

    def __init__(self, done, path):
        self.returncode, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        self.database = sqlite3.connect(path)

    def rows(self, query, *values):
        return self.database.execute(query, values).fetchall()

    def one(self, query, *values):
        (row,) = self.rows(query, *values)
        return row[0] if len(row) == 1 else row

    def total(self):
        """Returns the number of accesses. An access that crosses lines is in the counts of both lines, and
        counts once here."""
        counted = self.one("SELECT sum(reads + writes) FROM chunks")
        return counted - self.one("SELECT split_accesses FROM run")

    def of_variable(self, name):
        """Returns (reads, writes) of a global variable by each thread that accessed it, in the threads' order."""
        return self.rows(
            "SELECT sum(c.reads), sum(c.writes) FROM chunks c JOIN objects o ON o.id = c.object"
            " WHERE o.name = ? GROUP BY c.thread ORDER BY c.thread", name)


def watch(atoll, folder, *command, frontend="dbi", options=(), environment=None, timeout=120):
    """Runs the command under `atoll profile`. The output of the command is bytes."""
    import os

    path = folder / "watched.profile"
    done = subprocess.run(
        [str(atoll.program), "profile", "--frontend", frontend, "--memory", "2GiB", *options, "-o", str(path),
         "--", *map(str, command)],
        capture_output=True, timeout=timeout, env=dict(os.environ, **(environment or {})),
        cwd=folder)
    assert path.exists(), done.stderr.decode()
    assert not atoll("profile", "--check", path).stderr
    return Watched(done, path)


def counts(seen, names):
    """Returns {name: (reads, writes)} over all threads."""
    return {name: tuple(map(sum, zip(*seen.of_variable(name)))) or (0, 0) for name in names}
