"""`atoll trace`: the object of each access of a stream, and damaged files."""

import pytest

SMALL_NODES = """
#include <stdlib.h>
struct node { struct node* next; long value; };
__attribute__((noinline)) struct node* red(struct node* next) {
  struct node* made = malloc(sizeof *made); made->next = next; made->value = 1; return made;
}
__attribute__((noinline)) struct node* blue(struct node* next) {
  struct node* made = malloc(sizeof *made); made->next = next; made->value = 2; return made;
}
int main(void) {
  struct node* list = NULL;
  for (int i = 0; i < 20000; ++i) list = i % 2 ? red(list) : blue(list);
  long sum = 0;
  for (struct node* at = list; at; at = at->next) sum += at->value;
  return sum == 30000 ? 0 : 1;
}
"""

USED_AGAIN = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
enum { BYTES = 1 << 20, N = BYTES / sizeof(long) };
static long* volatile shared;
static void fill(long* at, long n) { for (long i = 0; i < n; ++i) at[i] = i; }
static long* map(void* where) {
  return mmap(where, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void* again(void* place) {  /* another thread uses the same addresses */
  shared = map(place);
  fill(shared, N);
  return NULL;
}
int main(void) {
  long* first = map(NULL);
  fill(first, N);
  munmap(first, BYTES);
  pthread_t thread;
  for (int i = 0; i < 3; ++i) {
    pthread_create(&thread, NULL, again, first);
    pthread_join(thread, NULL);
    fill(shared, N);
    if (i < 2) munmap(shared, BYTES);
  }
  munmap(shared, BYTES / 4);  /* its beginning */
  fill(shared + N / 4, N - N / 4);
  long* grown = malloc(BYTES);
  fill(grown, N);
  grown = realloc(grown, 4 * BYTES);
  fill(grown, 4 * N);
  const pid_t child = fork();
  fill(grown, N);
  if (child == 0) _exit(0);
  free(grown);
  waitpid(child, NULL, 0);
  return 0;
}
"""


@pytest.fixture(scope="module", params=["compiled", "dbi"])
def traced(request, atoll, tmp_path_factory):
    """Compiles a program, traces it with a front end; returns the output of --check."""

    def trace(name, source):
        folder = tmp_path_factory.mktemp("trace")
        (folder / "a.c").write_text(source)
        driver = atoll.program.parent / "atollcc" if request.param == "compiled" else "gcc"
        import subprocess
        subprocess.run([str(driver), "-O1", "-g", "-pthread", str(folder / "a.c"), "-o", str(folder / name)],
                       check=True)
        atoll("trace", "--frontend", request.param, "-o", folder / "t", "--", folder / name)
        atoll("profile", "--frontend", request.param, "-o", folder / "p", "--", folder / name)
        return atoll.json("trace", "--check", folder / "t"), atoll.json("report", folder / "p")

    return trace


@pytest.mark.parametrize("name, source, at_least", [("small", SMALL_NODES, 80_000), ("again", USED_AGAIN, 1_000_000)])
def test_every_access_is_to_the_object_that_counts_have(traced, name, source, at_least):
    checked, report = traced(name, source)
    assert checked["wrong"] == []
    assert checked["several_objects"] == 0
    assert checked["one_object"] + checked["no_object"] == checked["accesses"]
    assert checked["one_object"] >= at_least
    nobodys = sum(found["reads"] + found["writes"] for found in report["objects"] if found["kind"] == "other")
    assert checked["no_object"] <= nobodys + 50  # (the dynamic linker's number of operations varies)


def test_cut_anywhere_a_trace_is_refused_in_one_line(atoll, tmp_path):
    atoll("trace", "--frontend", "dbi", "-o", tmp_path / "t", "--", "/bin/true")
    whole = (tmp_path / "t").read_bytes()
    for length in [8, 12, 16, 20, 40, *range(100, len(whole), max(1, len(whole) // 20))]:
        (tmp_path / "cut").write_bytes(whole[:length])
        said = atoll.refuses("trace", "--check", tmp_path / "cut")
        assert "cut" in said


def test_of_a_later_version_the_line_says_so(atoll, tmp_path):
    (tmp_path / "t").write_bytes(b"atolltrc" + (4).to_bytes(4, "little") + bytes(4))
    assert "version 4" in atoll.refuses("trace", "--check", tmp_path / "t")


def test_json_is_of_a_check_alone(atoll, tmp_path):
    assert "--check" in atoll.refuses("trace", "--json", "-o", tmp_path / "t", "--", "/bin/true")
