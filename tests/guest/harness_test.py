#!/usr/bin/env python3
"""Tests the harness itself: a guest that fails must not be reported as a success. harness_test.py FOLDER"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.argv.pop())


def run_guest(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, HERE / "run_guest.py", "--folder", FOLDER, "--topology", "one",
                           *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Harness(unittest.TestCase):
    def test_relays_files_output_and_the_first_exit_code(self):
        with tempfile.TemporaryDirectory() as folder:
            note = pathlib.Path(folder) / "note"
            note.write_text("it's here\n")
            done = run_guest("--file", f"{note}=/data/deep/note", "--", "cat /data/deep/note; exit 7",
                             "echo 'guest-exit-code 0 is no exit code within a line'; exit 3",
                             "ls /sys/devices/system/node/node0/meminfo")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("it's here\n", done.stdout)
        self.assertIn("is no exit code within a line\n", done.stdout)
        self.assertIn("node0/meminfo\n", done.stdout)

    def test_a_panic_fails_and_shows_the_console(self):
        done = run_guest("--", "echo before; sleep 1; echo c >/proc/sysrq-trigger; sleep 60")
        self.assertEqual(done.returncode, 125)
        self.assertIn("before\n", done.stdout)
        self.assertIn("Kernel panic", done.stderr)

    def test_a_guest_that_takes_too_long_fails(self):
        done = run_guest("--timeout", "5", "--", "sleep 60")
        self.assertEqual(done.returncode, 125)
        self.assertIn("no exit code after 5 s", done.stderr)


unittest.main()
