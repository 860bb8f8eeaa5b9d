"""Names of memory in reports: the user's own function and line, in the language's notation, for any allocating
library."""

import shutil
import subprocess

import pytest

RUST = """
use std::collections::HashMap;
use std::thread;

mod store {
    #[derive(Clone)]
    pub struct Table<T> { pub cells: Vec<T> }
    impl<T: Clone + Default> Table<T> {
        #[inline(never)]
        pub fn with_cells(count: usize) -> Self { Table { cells: vec![T::default(); count] } }  // line 10
    }
}

#[inline(never)]
fn count_words(n: u64) -> HashMap<u64, u64> {
    let mut map = HashMap::new();
    for i in 0..n { *map.entry(i.wrapping_mul(2654435761) % 30000).or_insert(0) += i; }  // line 17
    map
}

#[inline(never)]
fn grow(n: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for i in 0..n { text.push(i as u8); }  // line 24
    text
}

fn main() {
    let table = store::Table::<u64>::with_cells(100_000);
    let sum: u64 = thread::spawn(move || table.cells.iter().sum()).join().unwrap();
    println!("{} {} {}", count_words(100_000).len(), grow(300_000).len(), sum);
}
"""

CPLUSPLUS = """
#include <cstdio>
#include <map>
#include <memory>
#include <vector>
struct Grid { std::vector<double> cells; };
[[gnu::noinline]] Grid make_grid(int n) {
  Grid grid;
  for (int i = 0; i < n; ++i) grid.cells.push_back(i);  // line 9
  return grid;
}
static void* zmalloc(unsigned long bytes) { return operator new(bytes); }
[[gnu::noinline]] char* read_all(int n) {
  char* text = static_cast<char*>(zmalloc(n));  // line 14
  for (int i = 0; i < n; ++i) text[i] = static_cast<char>(i);
  return text;
}
int main() {
  std::printf("%f %d\\n", make_grid(50000).cells[7], read_all(200000)[9]);
}
"""

SAME_LINE = """
#include <stdio.h>
#include <stdlib.h>
enum { N = 100000 };
__attribute__((noinline)) static double work(int n) {
  double *a = malloc(8L * n), *b = malloc(16L * n), *c = malloc(8L * n);  /* line 6 */
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 1, c[i] = 2;
  for (int i = 0; i < n; ++i) b[i] += a[i];
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < n; ++i) c[i] += b[i];
  return a[1] + b[1] + c[1];
}
int main(void) { printf("%f\\n", work(N)); }
"""

FORTRAN = """
program main
  real(8), allocatable :: a(:), b(:), c(:)
  integer :: i
  allocate(a(100000), b(200000), c(100000))
  do i = 1, 100000
    a(i) = i
    b(i) = 1
    c(i) = a(i) + b(i)
  end do
  print *, c(7)
end program
"""


def objects(atoll, tmp_path, program, frontend):
    """Returns the large allocations of a run: {name: (place, accesses)}; among equal names, the one with most
    accesses."""
    atoll("profile", "--frontend", frontend, "-o", tmp_path / "p", "--", program)
    report = atoll.json("report", tmp_path / "p")
    found = {}
    for one in sorted(report["objects"], key=lambda one: one["reads"] + one["writes"]):
        if one["kind"] == "heap" and "libstdc++.so" not in one["name"]:  # libstdc++ allocates some memory itself
            found[one["name"]] = (one["place"].rpartition("/")[2], one["reads"] + one["writes"])
    return found, atoll("report", tmp_path / "p").stdout


def places(found):
    return {name: place for name, (place, _) in found.items()}


def has_rust():
    """Returns True if `rustc` works. It may be a stub of a missing toolchain."""
    return shutil.which("rustc") is not None and subprocess.run(["rustc", "--version"], capture_output=True).returncode == 0


@pytest.mark.skipif(not has_rust(), reason="there is no rustc here; unit tests have names it made")
@pytest.mark.parametrize("mangling", ["v0", "legacy"])
@pytest.mark.parametrize("debug", [True, False])
def test_rust(atoll, tmp_path, mangling, debug):
    import os

    (tmp_path / "app.rs").write_text(RUST)
    subprocess.run(["rustc", "-Zunstable-options", f"-Csymbol-mangling-version={mangling}", "-O", *["-g"] * debug,
                    tmp_path / "app.rs", "-o", tmp_path / "app"], check=True, timeout=120,
                   env=dict(os.environ, RUSTC_BOOTSTRAP="1"))
    found, text = objects(atoll, tmp_path, tmp_path / "app", "dbi")
    table = "<app::store::Table<u64>>::with_cells" if mangling == "v0" else "app::store::Table<T>::with_cells"
    expected = {table: "app.rs:10", "app::count_words": "app.rs:17", "app::grow": "app.rs:24"}
    assert places(found) == (expected if debug else dict.fromkeys(expected, ""))
    assert "_RNv" not in text and "_ZN" not in text


@pytest.mark.parametrize("frontend, compiler", [("dbi", "g++"), ("compiled", "atollc++"), ("gcc", "atollg++")])
def test_cplusplus(atoll, build, tmp_path, frontend, compiler):
    (tmp_path / "app.cpp").write_text(CPLUSPLUS)
    compiler = "g++" if compiler == "g++" else build / compiler
    subprocess.run([compiler, "-O2", "-g", tmp_path / "app.cpp", "-o", tmp_path / "app"], check=True)
    found, _ = objects(atoll, tmp_path, tmp_path / "app", frontend)
    assert places(found) == {"make_grid(int)": "app.cpp:9", "read_all(int)": "app.cpp:14"}


def test_cplusplus_without_debug_information(atoll, tmp_path):
    (tmp_path / "app.cpp").write_text(CPLUSPLUS)
    # Unoptimised: std::vector's functions are compiled into the program.
    subprocess.run(["g++", "-O0", tmp_path / "app.cpp", "-o", tmp_path / "app"], check=True)
    found, _ = objects(atoll, tmp_path, tmp_path / "app", "dbi")
    assert places(found) == {"make_grid(int)": "", "read_all(int)": ""}


@pytest.mark.parametrize("frontend, compiler", [("dbi", "gcc"), ("compiled", "atollcc"), ("gcc", "atollgcc")])
def test_arrays_of_one_line_are_told_apart(atoll, build, tmp_path, frontend, compiler):
    (tmp_path / "app.c").write_text(SAME_LINE)
    compiler = "gcc" if compiler == "gcc" else build / compiler
    subprocess.run([compiler, "-O1", "-g", tmp_path / "app.c", "-o", tmp_path / "app"], check=True)
    found, text = objects(atoll, tmp_path, tmp_path / "app", frontend)
    names = ["work (1st of 3, 781 KiB)", "work (2nd of 3, 1.53 MiB)", "work (3rd of 3, 781 KiB)"]
    assert places(found) == dict.fromkeys(names, "app.c:6")
    first, second, third = (found[name][1] for name in names)
    assert first < second < third, "each has its own accesses"
    assert all(name in text for name in names), "a line for each in the report"


def test_a_stripped_program_has_offsets_that_its_symbols_explain(atoll, tmp_path):
    (tmp_path / "app.c").write_text(SAME_LINE)
    subprocess.run(["gcc", "-O1", "-g", tmp_path / "app.c", "-o", tmp_path / "symbols"], check=True)
    subprocess.run(["strip", tmp_path / "symbols", "-o", tmp_path / "app"], check=True)
    found, text = objects(atoll, tmp_path, tmp_path / "app", "dbi")
    assert "__libc_start" not in text, "libc's functions say nothing of the program"
    calls = [int(name.removeprefix("app+"), 16) - 1 for name in found]  # the address after the call
    lines = subprocess.run(["addr2line", "-e", tmp_path / "symbols", *map(hex, calls)], capture_output=True,
                           text=True, check=True).stdout.split()
    assert [line.rpartition("/")[2] for line in lines] == 3 * ["app.c:6"]


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="there is no gfortran here; C has such lines, too")
def test_arrays_of_one_line_of_fortran(atoll, tmp_path):
    (tmp_path / "app.f90").write_text(FORTRAN)
    subprocess.run(["gfortran", "-O1", "-g", tmp_path / "app.f90", "-o", tmp_path / "app"], check=True)
    found, _ = objects(atoll, tmp_path, tmp_path / "app", "dbi")
    assert sorted(name.partition(" ")[2] for name in found) == [
        "(1st of 3, 781 KiB)", "(2nd of 3, 1.53 MiB)", "(3rd of 3, 781 KiB)"]
    assert set(places(found).values()) == {"app.f90:5"}
