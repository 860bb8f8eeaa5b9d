"""Programs built with a sanitizer are refused with the reason: the sanitizer's run time must be loaded first."""

import shutil
import subprocess

import pytest

FINE = """
    int main(void) {
      char* p = malloc(1 << 20);
      long sum = 0;
      memset(p, 3, 1 << 20);
      for (int i = 0; i < 1 << 20; ++i) sum += p[i];
      free(p);
      printf("%ld\\n", sum);
      return 0;
    }
"""
ADDRESS = ["-fsanitize=address"]
KINDS = {"library": (ADDRESS, "AddressSanitizer"),
         "static": ([*ADDRESS, "-static-libasan"], "AddressSanitizer"),
         "stripped": ([*ADDRESS, "-static-libasan", "-s"], "a sanitizer"),
         "threads": (["-fsanitize=thread"], "ThreadSanitizer"),
         "leaks": (["-fsanitize=leak"], "LeakSanitizer")}


def refused(atoll, program, name, *arguments, **more):
    line = atoll.refuses(*arguments, "--", program, **more)
    assert f"was built with {name}" in line and "-fsanitize" in line


@pytest.mark.parametrize("kind", KINDS)
def test_profiles_are_refused(atoll, programs, tmp_path, kind):
    flags, name = KINDS[kind]
    program = programs(kind, FINE, *flags)
    for frontend in "auto", "dbi", "sample":
        refused(atoll, program, name, "profile", "--frontend", frontend, "-o", tmp_path / "p")
    assert not (tmp_path / "p").exists()


def test_every_verb_that_preloads_refuses(atoll, programs, tmp_path):
    program = programs("asan", FINE, *ADDRESS)
    plan = tmp_path / "plan.json"
    profile = tmp_path / "p"
    plain = programs("plain", FINE)
    atoll("profile", "--frontend", "dbi", "-o", profile, "--", plain)
    atoll("advise", profile, "--machine", "xeon-x7550", "-o", plan)
    name = "AddressSanitizer"
    refused(atoll, program, name, "trace", "-o", tmp_path / "t")
    refused(atoll, program, name, "simulate", "--machine", "xeon-2x10")
    refused(atoll, program, name, "schedule", "-o", tmp_path / "s")
    refused(atoll, program, name, "run", "--policy", "compact")
    refused(atoll, program, name, "run", "--policy", "kmaf")
    refused(atoll, program, name, "run", "--plan", plan)
    assert not (tmp_path / "t").exists() and not (tmp_path / "s").exists()
    done = atoll("run", "--policy", "os", "--", program)  # this policy preloads nothing
    assert done.stdout == f"{3 << 20}\n"


def test_the_program_is_found_in_path(atoll, programs, monkeypatch):
    program = programs("asan_in_path", FINE, *ADDRESS)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    refused(atoll, "asan_in_path", "AddressSanitizer", "run", "--policy", "compact")


@pytest.mark.skipif(shutil.which("clang-16") is None, reason="there is no clang-16")
def test_clang_s_sanitizers(atoll, programs, tmp_path):
    source = programs("plain", FINE).with_suffix(".c")
    for option, name in ("address", "AddressSanitizer"), ("memory", "MemorySanitizer"), ("thread", "ThreadSanitizer"):
        program = tmp_path / option
        subprocess.run(["clang-16", f"-fsanitize={option}", source, "-o", program], check=True)
        refused(atoll, program, name, "profile", "--frontend", "dbi", "-o", tmp_path / "p")


def test_other_programs_are_watched(atoll, programs, tmp_path):
    program = programs("undefined", FINE, "-fsanitize=undefined")
    done = atoll("profile", "--frontend", "dbi", "-o", tmp_path / "p", "--", program)
    assert done.stdout == f"{3 << 20}\n"
