"""Pages of a file that are in the page cache when a program maps it belong to the thread that wrote them, or have no
known owner. The program queries these pages from the kernel."""

import json
import os
import subprocess
import sys
import textwrap

import pytest
from watched import watch

PAGES = 512
THREADS = 4
MACHINE = "xeon-x7550"

# Maps a file and reads it by four threads, one part each. Prints the number of pages that were in the page
# cache before. With "writes", the first thread and another one first write half of the file each. With
# "populate", mmap() reads the file.
READERS = f"""
    #include <fcntl.h>
    #include <sys/mman.h>
    enum {{ kPages = {PAGES}, BYTES = kPages * 4096 }};
    static int file;
    static volatile long* memory;
    static void* part(void* which) {{
      long sum = 0, words = BYTES / 8 / {THREADS};
      for (int round = 0; round < 3; ++round)
        for (long i = (long)which * words; i < ((long)which + 1) * words; ++i) sum += memory[i];
      return (void*)sum;
    }}
    static void* writes(void* from) {{
      static char page[4096];
      for (int i = 0; i < kPages / 2; ++i)
        if (pwrite(file, page, 4096, (long)from + i * 4096) != 4096) exit(3);
      return from;
    }}
    static int cached(void) {{
      unsigned char there[kPages];
      void* all = mmap(0, BYTES, PROT_READ, MAP_SHARED, file, 0);
      if (mincore(all, BYTES, there) != 0) exit(4);
      munmap(all, BYTES);
      int count = 0;
      for (int i = 0; i < kPages; ++i) count += there[i] & 1;
      return count;
    }}
    int main(int count, char** arguments) {{
      const char* way = count > 2 ? arguments[2] : "";
      pthread_t threads[{THREADS}];
      file = open(arguments[1], O_RDWR);
      if (strcmp(way, "cold") == 0) {{
        fsync(file);
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
      }}
      if (strcmp(way, "writes") == 0) {{
        writes(0);
        pthread_create(threads, 0, writes, (void*)(BYTES / 2L));
        pthread_join(threads[0], 0);
      }}
      printf("%d\\n", cached());
      memory = mmap(0, BYTES, PROT_READ, MAP_SHARED | (strcmp(way, "populate") == 0 ? MAP_POPULATE : 0), file, 0);
      for (long i = 0; i < {THREADS}; ++i) pthread_create(threads + i, 0, part, (void*)i);
      for (int i = 0; i < {THREADS}; ++i) pthread_join(threads[i], 0);
      return 0;
    }}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "weights"
    path.write_bytes(bytes(PAGES * 4096))
    return path


def mapping(report):
    (found,) = [one for one in report["objects"] if one["name"].startswith("weights")]
    return found


def owners(folder, source):
    """Returns {thread: pages} of the file; None for pages without a known owner."""
    sys.path.insert(0, str(source / "tools"))
    import atoll_profile

    database = atoll_profile.connect(str(folder / "watched.profile"))
    return dict(database.execute(
        "SELECT iif(h.id IS NULL, f.thread, h.thread) AS owner, count(DISTINCT p.page)"
        " FROM pages p JOIN objects o ON o.id = p.object"
        " JOIN first_touch f ON f.process = o.process AND f.page = p.page LEFT JOIN homes h ON h.id = f.thread"
        " WHERE o.kind = 'mapping' AND o.name LIKE 'weights%' GROUP BY owner").fetchall())


@pytest.mark.parametrize(("flags", "case"), [([], ""), ([], "populate"), ([], "cold"), (["-static"], "")],
                         ids=["there", "populate", "cold", "static"])
def test_pages_of_a_file_that_was_there(atoll, programs, source, tmp_path, file, flags, case):
    seen = watch(atoll, tmp_path, programs("readers", READERS, "-D_GNU_SOURCE", *flags), file, case)
    assert seen.returncode == 0, seen.stderr.decode()
    cached = int(seen.stdout)
    found = owners(tmp_path, source)
    # (Linux reads neighbouring pages ahead.)
    assert found.get(None, 0) == cached and sum(found.values()) == PAGES
    if case != "cold":
        assert cached == PAGES
        report = atoll.json("report", tmp_path / "watched.profile", "--machine", MACHINE)
        assert mapping(report)["pages_of_unknown_node"] == PAGES and report["pages_of_unknown_node"] == PAGES
        assert mapping(report)["what_if"][0]["local_share"] == pytest.approx(0.25, abs=0.02)
        assert any("are unknown" in line and "weights" in line for line in report["verdict"]["text"])


def test_pages_that_threads_wrote_to_a_file(atoll, programs, source, tmp_path, file):
    seen = watch(atoll, tmp_path, programs("readers", READERS, "-D_GNU_SOURCE"), file, "writes")
    assert seen.returncode == 0, seen.stderr.decode()
    assert owners(tmp_path, source) == {0: PAGES // 2, 1: PAGES // 2}
    report = atoll.json("report", tmp_path / "watched.profile", "--machine", MACHINE)
    assert report["pages_of_unknown_node"] == 0
    assert not any("are unknown" in line for line in report["verdict"]["text"])


def test_other_front_ends(atoll, make, tmp_path, file):
    headers = "".join(f"#include <{name}.h>\n" for name in ["pthread", "stdio", "stdlib", "string", "unistd"])
    program = make.build(tmp_path, headers + textwrap.dedent(READERS), "-O1", "-D_GNU_SOURCE", "-pthread")
    seen = watch(atoll, tmp_path, program, file, frontend=make.frontend)
    assert seen.returncode == 0, seen.stderr.decode()
    report = atoll.json("report", tmp_path / "watched.profile", "--machine", MACHINE)
    assert mapping(report)["pages_of_unknown_node"] == int(seen.stdout) == PAGES


@pytest.mark.parametrize("case", ["", "populate", "writes"])
def test_simulated(atoll, programs, tmp_path, file, case):
    program = programs("readers", READERS, "-D_GNU_SOURCE")
    done = subprocess.run([str(atoll.program), "simulate", "--json", "--no-interval", "--frontend", "dbi", "--machine",
                           MACHINE, "--", str(program), str(file), case],
                          capture_output=True, text=True, check=True, timeout=120, env=dict(os.environ))
    result = json.loads(done.stdout)
    unknown = mapping(result)["pages_of_unknown_node"]
    told = [text for text in result["assumed"] if "page cache" in text]
    if case == "writes":
        assert unknown == 0 and told == []
        return
    assert unknown == PAGES
    assert len(told) == 1 and "weights" in told[0] and str(PAGES) in told[0]
    # The traffic is interleaved over all nodes.
    columns = [sum(row[i] for row in result["traffic"]) for i in range(4)]
    assert min(columns[1:]) >= 0.2 * PAGES * 4096
