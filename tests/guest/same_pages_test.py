#!/usr/bin/env python3
"""Programs query the node of each of their pages. The kernel of a guest with several nodes and `atoll simulate`, on
the machine that Atoll finds in that guest, give the same answers.

  same_pages_test.py FOLDER ATOLL TOPOLOGY PROGRAM…"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
FOLDER, ATOLL = map(pathlib.Path, sys.argv[1:3])
TOPOLOGY = sys.argv[3]
PROGRAMS = list(map(pathlib.Path, sys.argv[4:]))
del sys.argv[1:]


def in_guest(*commands):
    """Runs commands in one guest; returns the output of each."""
    words = [sys.executable, HERE / "run_guest.py", "--folder", FOLDER, "--topology", TOPOLOGY, "--timeout", "600"]
    for program in [ATOLL, *PROGRAMS]:
        words += ["--program", program]
    calls = ["echo 0 > /proc/sys/kernel/numa_balancing"]
    for i, command in enumerate(commands):
        calls += [f"echo @begin {i}", command, "echo @end"]
    done = subprocess.run([*words, "--", *calls], text=True, stdout=subprocess.PIPE)
    assert done.returncode == 0, done.stdout[-4000:]
    found = re.findall(r"^@begin \d+\n(.*?)^@end$", done.stdout.replace("\r", ""), re.M | re.S)
    assert len(found) == len(commands), done.stdout[-4000:]
    return found


class SamePages(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        machine, cls.by_run, *cls.in_guest = in_guest(
            "atoll machine --json", "atoll run --policy interleave -- sh -c 'kernel_pages executed; true'",
            *(program.name for program in PROGRAMS))
        cls.machine = pathlib.Path(folder.name) / "machine.json"
        cls.machine.write_text(machine)

    def test_pages_are_where_linux_has_them(self):
        for program, expected in zip(PROGRAMS, self.in_guest, strict=True):
            done = subprocess.run([ATOLL, "simulate", "--machine", self.machine, "--no-interval", "--json", "--", program],
                                  text=True, capture_output=True)
            with self.subTest(program=program.name):
                self.assertEqual(done.returncode, 0, done.stderr[-4000:])
                simulated = done.stderr.splitlines()
                lines = expected.splitlines()
                self.assertGreater(len(lines), 30)
                print(f"{program.name}: {len(lines)} lines", flush=True)
                self.assertEqual([line for line in simulated if ":" in line], lines)

    def test_a_policy_of_run_is_there_in_what_the_program_executes(self):
        self.assertTrue(self.by_run.startswith("executed: policy 3 of f\n"), self.by_run)


unittest.main()
