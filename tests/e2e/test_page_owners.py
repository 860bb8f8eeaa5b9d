"""Owner of a page: the thread that wrote it first, or for which the kernel populated it."""

import sys

import pytest
from watched import watch

PAGES = 512
THREADS = 4

# The main thread allocates the memory as the argument specifies; four threads then update a part each.
FILLED = f"""
    #include <fcntl.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <sys/uio.h>
    enum {{ BYTES = {PAGES} * 4096 }};
    static volatile long* memory;
    static int writes = 1;
    static void* work(void* which) {{
      long sum = 0, words = BYTES / 8 / {THREADS};
      for (long i = (long)which * words; i < ((long)which + 1) * words; ++i) {{
        sum += memory[i];
        if (writes) memory[i] = sum;
      }}
      return (void*)sum;
    }}
    static int file_with(const char* name, int bytes) {{
      int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
      char* text = calloc(1, bytes);
      if (write(file, text, bytes) != bytes) exit(3);
      free(text);
      return file;
    }}
    int main(int count, char** arguments) {{
      const char* way = count > 1 ? arguments[1] : "";
      int file = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS, protection = PROT_READ | PROT_WRITE;
      if (strcmp(way, "populate") == 0) flags |= MAP_POPULATE;
      if (strncmp(way, "file", 4) == 0) {{
        file = file_with("written", BYTES);
        flags = MAP_SHARED;
        writes = 0;
        protection = PROT_READ;
        if (strcmp(way, "file_populate") == 0) flags |= MAP_POPULATE;
      }}
      memory = mmap(0, BYTES, protection, flags, file, 0);
      if (strcmp(way, "madvise") == 0) syscall(SYS_madvise, memory, BYTES, 23);
      if (strcmp(way, "mlock") == 0) mlock((void*)memory, BYTES);
      if (strcmp(way, "read") == 0 || strcmp(way, "readv") == 0) {{
        int zeros = open("/dev/zero", O_RDONLY);
        struct iovec parts[2] = {{{{(void*)memory, BYTES / 2}}, {{(char*)memory + BYTES / 2, BYTES / 2}}}};
        if ((way[4] == 0 ? read(zeros, (void*)memory, BYTES) : readv(zeros, parts, 2)) != BYTES) return 4;
      }}
      pthread_t threads[{THREADS}];
      for (long i = 0; i < {THREADS}; ++i) pthread_create(threads + i, 0, work, (void*)i);
      for (int i = 0; i < {THREADS}; ++i) pthread_join(threads[i], 0);
      return 0;
    }}
"""


def owners(folder, source):
    """Returns {thread: pages} of the mapping with most accesses."""
    sys.path.insert(0, str(source / "tools"))
    import atoll_profile

    database = atoll_profile.connect(str(folder / "watched.profile"))
    (found,) = database.execute(
        "SELECT id FROM objects WHERE kind = 'mapping' ORDER BY reads + writes DESC LIMIT 1").fetchone()
    return dict(database.execute(
        "SELECT f.thread, count(DISTINCT p.page) FROM pages p JOIN objects o ON o.id = p.object"
        " JOIN first_touch f ON f.process = o.process AND f.page = p.page WHERE o.id = ? GROUP BY f.thread", (found,)))


@pytest.mark.parametrize("how", ["populate", "madvise", "mlock", "read", "readv", "file", "file_populate"])
@pytest.mark.parametrize("flags", [[], ["-static"]], ids=["dynamic", "static"])
def test_pages_that_the_system_fills(atoll, programs, source, tmp_path, flags, how):
    seen = watch(atoll, tmp_path, programs("filled", FILLED, "-D_GNU_SOURCE", *flags), how)
    assert seen.returncode == 0, seen.stderr.decode()
    found = owners(tmp_path, source)
    assert found.get(0, 0) >= 0.99 * PAGES, found


def test_pages_that_threads_touch_themselves(atoll, programs, source, tmp_path):
    seen = watch(atoll, tmp_path, programs("filled", FILLED, "-D_GNU_SOURCE"))
    assert seen.returncode == 0, seen.stderr.decode()
    found = owners(tmp_path, source)
    assert set(found) == {1, 2, 3, 4} and min(found.values()) >= 0.24 * PAGES, found


# The main thread reads fresh memory; a thread writes the first half of it, then the main thread the rest.
READ_FIRST = f"""
    #include <sys/mman.h>
    enum {{ BYTES = {PAGES} * 4096 }};
    static volatile char* memory;
    static void* writes(void* unused) {{
      for (int i = 0; i < BYTES / 2; i += 8) memory[i] = 1;
      return unused;
    }}
    int main(int count, char** arguments) {{
      (void)arguments;
      memory = mmap(0, BYTES, PROT_READ | PROT_WRITE, (count > 1 ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
      madvise((void*)memory, BYTES, MADV_NOHUGEPAGE);
      long sum = 0;
      for (int i = 0; i < BYTES / 2; i += 64) sum += memory[i];
      for (int i = BYTES / 2; i < BYTES; i += 64) sum += memory[i]++;
      pthread_t thread;
      pthread_create(&thread, 0, writes, 0);
      pthread_join(thread, 0);
      return (int)sum;
    }}
"""


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_read_allocates_no_private_page(atoll, programs, source, tmp_path, is_shared):
    """A read of private memory maps the zero page. Shared memory has no zero page."""
    seen = watch(atoll, tmp_path, programs("read_first", READ_FIRST, "-D_GNU_SOURCE"), *["shared"] * is_shared)
    assert seen.returncode == 0, seen.stderr.decode()
    found = owners(tmp_path, source)
    assert found == ({0: PAGES} if is_shared else {0: PAGES // 2, 1: PAGES // 2})
