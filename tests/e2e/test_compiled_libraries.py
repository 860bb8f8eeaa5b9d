"""Libraries built by the drivers: their accesses are counted like a program's."""

import subprocess

import pytest
from watched import counts, watch


@pytest.mark.parametrize("flags", ["", "-no-pie", "-Wl,--gc-sections", "-fuse-ld=gold", "-Wl,--version-script=none"])
def test_libraries_count_as_programs_do(atoll, make, tmp_path, flags):
    """Accesses in a static archive, in a linked library, and in a library loaded later, by two threads, with
    each set of compiler flags; one of them hides all symbols of the program."""
    (tmp_path / "none").write_text("{ local: *; };\n")
    for name in ("archived", "linked", "loaded"):
        (tmp_path / f"{name}.c").write_text(
            f"long in_{name}[512] __attribute__((aligned(4096)));\n"
            f"void {name}(long k) {{ for (int i = 0; i < 512; ++i) in_{name}[i & k] += i; }}\n")
    (tmp_path / "main.c").write_text("""
        #include <dlfcn.h>
        #include <pthread.h>
        void archived(long k);
        void linked(long k);
        void (*loaded)(long k);
        long in_main[512] __attribute__((aligned(4096)));
        static void* work(void* p) {
          volatile long all = 511;
          archived(all), linked(all), loaded(all);
          for (int i = 0; i < 512; ++i) in_main[i & all] += i;
          return p;
        }
        int main(void) {
          void* library = dlopen("./libloaded.so", RTLD_NOW | RTLD_LOCAL);
          loaded = (void (*)(long))dlsym(library, "loaded");
          pthread_t other;
          pthread_create(&other, 0, work, 0);
          pthread_join(other, 0);
          work(0);
          return in_main[511] != 2 * 511;
        }
    """)
    make.run("-O1", "-c", "archived.c", cwd=tmp_path)
    subprocess.run(["ar", "rc", "libarchived.a", "archived.o"], cwd=tmp_path, check=True)
    for name in ("linked", "loaded"):
        make.run("-O1", "-shared", "-fPIC", f"{name}.c", "-o", f"lib{name}.so", cwd=tmp_path)
    make.run("-O1", *flags.split(), "main.c", "-L.", "-larchived", "-llinked", "-Wl,-rpath,$ORIGIN", "-pthread", "-o",
             "program", cwd=tmp_path)
    seen = watch(atoll, tmp_path, tmp_path / "program", frontend=make.frontend)
    assert seen.returncode == 0
    for name in ("archived", "linked", "loaded"):
        assert seen.of_variable(f"in_{name}") == [(512, 512)] * 2, name
    assert counts(seen, ["in_main"]) == {"in_main": (1025, 1024)}


def test_plain_programs_load_recording_libraries(make, tmp_path):
    """A plain program loads two libraries, each of which would work alone, without recording."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.c").write_text("long sum; long add(long k) { return sum += k; }\n")
        make.run("-O1", "-shared", "-fPIC", f"{name}.c", "-o", f"{name}.so", cwd=tmp_path)
    (tmp_path / "plain.c").write_text("""
        #include <dlfcn.h>
        int main(void) {
          long sum = 0;
          const char* names[] = {"./one.so", "./two.so"};
          for (int i = 0; i < 2; ++i)
            sum += ((long (*)(long))dlsym(dlopen(names[i], RTLD_NOW | RTLD_LOCAL), "add"))(20 + i);
          return sum != 41;
        }
    """)
    subprocess.run(["cc", "plain.c", "-o", "plain"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "plain"], cwd=tmp_path).returncode == 0


def test_a_library_where_another_was(atoll, make, tmp_path):
    """Two libraries are loaded at the same address, one after the other. A return address is attributed to
    the library that is loaded at that time."""
    for name in ["first", "second"]:
        make.build(tmp_path, f"""
            #include <stdlib.h>
            long {name}_calls;
            APART static void* {name}_allocates(long bytes) {{ return calloc(bytes, 1); }}
            APART void* allocate(long bytes) {{
              void* some = {name}_allocates(bytes);
              ++{name}_calls;
              return some;
            }}
        """, "-O0", "-shared", "-fPIC", name=name)
    program = make.build(tmp_path, """
        #include <dlfcn.h>
        #include <stdio.h>
        int main(int count, char** libraries) {
          for (int i = 1; i < count; ++i) {
            void* library = dlopen(libraries[i], RTLD_NOW);
            void* (*allocate)(long) = (void* (*)(long))dlsym(library, "allocate");
            printf("%p\\n", (void*)allocate);
            ((volatile char*)allocate(100000))[0] = 1;
            ((volatile char*)allocate(100))[0] = 1;
            dlclose(library);
          }
          return 0;
        }
    """, "-O0", "-ldl")
    names = ["first", "second", "first"]
    seen = watch(atoll, tmp_path, program, *(tmp_path / name for name in names), frontend=make.frontend)
    assert seen.returncode == 0
    assert len(set(seen.stdout.split())) == 1  # the addresses are equal; otherwise the test has no effect
    for kind in ["heap", "pool"]:
        functions = seen.rows(
            "SELECT f.function FROM objects o JOIN frames f ON f.site = o.site WHERE o.kind = ?"
            " AND f.function LIKE '%allocates' AND o.writes > 0 ORDER BY o.id", kind)
        assert functions == [(f"{name}_allocates",) for name in names]
    assert seen.rows("SELECT name FROM objects WHERE name LIKE '%_calls' ORDER BY id") == [
        (f"{name}_calls",) for name in names]
    assert seen.one("SELECT count(*) FROM losses WHERE kind = 'accesses_to_the_last'") == 1
