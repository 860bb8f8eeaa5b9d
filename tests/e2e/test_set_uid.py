"""A privileged program doesn't open files that its user names in the environment."""

import shutil
import subprocess

import pytest
from dbi_programs import compiled
from set_uid import Opens, SetUid

# C programs that are linked with the libraries that atoll preloads.
LINKED = {"recorded": "libatoll-record.so", "placed": "libatoll-place.so", "shown": "libatoll-machine.so",
          "following": "libatoll-follow.so"}
PROGRAM = """
    #include <sched.h>
    #include "atoll/trace/marks.h"
    volatile int cells[100];
    int main(void) {
      cpu_set_t all;
      const struct atoll_loop loop = {.name = "loop", .iterations = 4, .chunk = 1};
      atoll_mark_begin();
      for (int i = 0; i < 100; ++i) cells[i] = i;
      atoll_my_tasks(&loop, 0, 1);
      atoll_mark_end();
      memset(malloc(1 << 18), 1, 1 << 18);
      return sched_getaffinity(0, sizeof all, &all) < 0;
    }
"""
CASES = [("atollcc", "ATOLL_RECORDING"), ("atollgcc", "ATOLL_RECORDING"), ("recorded", "ATOLL_RECORDING"),
         ("placed", "ATOLL_PLACEMENT"), ("shown", "ATOLL_MACHINE_VIEW"), ("following", "ATOLL_SCHEDULE"),
         ("following", "ATOLL_TRIAL"), ("spmv", "ATOLL_SCHEDULE"), ("spmv", "HWLOC_XMLFILE")]


@pytest.fixture(scope="module")
def set_uid():
    made = SetUid()
    yield made
    made.remove()


@pytest.fixture(scope="module")
def program(set_uid, build, source):
    """Builds a program of CASES, which needs no other files than those in its folder."""

    def make(name):
        if name in ("atollcc", "atollgcc"):
            text = set_uid.folder / f"{name}.c"
            text.write_text("volatile int cells[100];\n"
                            "int main(void) { for (int i = 0; i < 100; ++i) cells[i] = i; return 0; }\n")
            subprocess.run([build / name, "-O1", text, "-o", set_uid.folder / name, f"-Wl,-rpath,{set_uid.folder}"],
                           check=True)
            shutil.copy(build / "lib/atoll/libatoll-record.so", set_uid.folder)
            return set_uid.folder / name
        if name in LINKED:
            shutil.copy(build / "lib/atoll" / LINKED[name], set_uid.folder)
            return compiled(set_uid.folder, name, PROGRAM, "-I", source / "include", "-D_GNU_SOURCE",
                            "-Wl,--no-as-needed", set_uid.folder / LINKED[name], f"-Wl,-rpath,{set_uid.folder}")
        return set_uid.make(build / "apps" / name)

    return make


@pytest.mark.parametrize("name, variable", CASES, ids=str)
def test_it_opens_no_file_that_the_environment_names(set_uid, program, sanitized, name, variable):
    if sanitized and name == "following":
        pytest.skip("a library with a sanitizer can't be linked to a program without")
    made = program(name)
    made.chmod(0o755)
    secret = set_uid.folder / "view"  # readable by its owner only
    secret.write_text("secret")
    secret.chmod(0o600)
    named = set_uid.folder if variable == "ATOLL_MACHINE_VIEW" else secret
    words = [made, "--mesh", "100", "--threads", "2"] if name == "spmv" else [made]
    opens = Opens(secret)
    set_uid.run(*words, environment={variable: str(named)}, as_owner=True)
    assert opens.count() > 0  # without privileges, the program opens the file, so the variable has an effect
    secret.write_text("secret")
    opens.count()
    set_uid.give_privileges(made)
    done = set_uid.run(*words, environment={variable: str(named)})
    assert opens.count() == 0
    assert done.returncode == 0, done.stderr
    assert secret.read_text() == "secret"


@pytest.fixture(scope="module")
def own_atoll(set_uid, build):
    """A copy of atoll that every user may run."""
    shutil.copytree(build / "lib/atoll", set_uid.folder / "lib/atoll")
    return shutil.copy(build / "atoll", set_uid.folder)


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
def test_a_schedule_that_a_program_with_privileges_cannot_follow_is_reported(set_uid, own_atoll, build):
    subprocess.run([build / "tests/atoll_write_schedule", set_uid.folder / "s", "loop", "8", "1", "1", "0"], check=True)
    (set_uid.folder / "s").chmod(0o644)
    true = set_uid.make(shutil.which("true"))
    for strict, code in ([], 0), (["--strict"], 2):
        done = set_uid.run(own_atoll, "run", *strict, "--schedule", set_uid.folder / "s", "--", true)
        assert done.returncode == code, done.stderr
        (line,) = done.stderr.splitlines()
        assert str(true) in line and "has privileges of its own" in line
    done = set_uid.run(own_atoll, "run", "--schedule", set_uid.folder / "s", "--", shutil.which("true"))
    assert "asked for no loop" in done.stderr and "privileges" not in done.stderr


def test_a_program_with_privileges_that_kmaf_cannot_watch_is_reported(set_uid, own_atoll):
    plain = set_uid.run(own_atoll, "run", "--policy", "kmaf", "--", shutil.which("true"))
    if plain.returncode == 1 and "perf_event" in plain.stderr:
        pytest.skip(f"page faults can't be sampled by this user: {plain.stderr}")
    assert plain.returncode == 0 and "has privileges of its own" not in plain.stderr
    done = set_uid.run(own_atoll, "run", "--policy", "kmaf", "--", set_uid.make(shutil.which("true")))
    assert done.returncode == 0
    assert "it is static, or has privileges of its own" in done.stderr
