"""Lines shared by several objects: their accesses are divided by words, and the profile reports how many accesses this
affects."""

from watched import watch

N = 100000
TEXT = f"""
    __attribute__((aligned(64))) volatile long hot = 1;
    volatile long cold = 2;
    __attribute__((aligned(64))) volatile long alone[8] = {{3}};
    int main(void) {{
      for (int i = 0; i < {N}; ++i) VARIABLE += 1;
      for (int i = 0; i < {N // 100}; ++i) cold += 1;
      return 0;
    }}
"""


def test_divided_accesses_are_reported(atoll, programs, tmp_path):
    seen = watch(atoll, tmp_path, programs("hot", TEXT, "-DVARIABLE=hot", "-fno-toplevel-reorder"))
    ((_, hot),) = seen.of_variable("hot")
    ((_, cold),) = seen.of_variable("cold")
    assert N + N // 100 <= hot + cold < 1.02 * N
    assert abs(hot - cold) < 0.02 * N  # divided evenly between the two words, not by address
    divided = dict(seen.rows("SELECT kind, count FROM losses")).get("accesses_divided", 0)
    assert 2 * (N + N // 100) <= divided < 2.2 * N
    report = atoll("report", tmp_path / "watched.profile", "--machine", "xeon-x7550").stdout
    assert "divided among them" in " ".join(report.split())


def test_variables_with_lines_of_their_own_are_exact(atoll, programs, tmp_path):
    seen = watch(atoll, tmp_path, programs("apart", TEXT, "-DVARIABLE=alone[0]", "-fno-toplevel-reorder"))
    assert seen.of_variable("alone") == [(N, N)]
    assert "accesses_divided" not in dict(seen.rows("SELECT kind, count FROM losses"))
