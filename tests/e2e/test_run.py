"""`atoll run`: its output, saved files and decisions, and the time of a second call."""

import json

import pytest

ARGUMENTS = ["--arg", "e=1e-9", "--arg", "d=0.85", "--arg", "max=100"]


@pytest.fixture(scope="module")
def star(tmp_path_factory):
    """Returns the file of a graph in which nodes 1 to 9 point to 0, and 0 to 1: the ranks are known in closed form."""
    file = tmp_path_factory.mktemp("graphs") / "star.el"
    file.write_text("0 1\n" + "".join(f"{i} 0\n" for i in range(1, 10)))
    return file


@pytest.fixture(scope="module")
def pagerank(source):
    return source / "apps/greenmarl/pagerank.gm"


def test_ranks_of_a_star(atoll, pagerank, star, tmp_path):
    saved = tmp_path / "ranks"
    report = atoll.json("run", pagerank, "--graph", star, "--arg", "e=1e-15", "--arg", "d=0.85",
                        "--arg", "max=1000", "--save", f"pg_rank={saved}")
    leaf = 0.15 / 10  # no edge leads to 2 … 9
    # x0 = leaf + d (x1 + 8 leaf), x1 = leaf + d x0
    centre = (leaf + 0.85 * (leaf + 8 * leaf)) / (1 - 0.85**2)
    expected = [centre, leaf + 0.85 * centre] + [leaf] * 8
    values = [float(line.split()[1]) for line in saved.read_text().splitlines()]
    assert values == pytest.approx(expected, rel=1e-12)
    top = report["results"][0]["top"]
    assert [row["node"] for row in top] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert report["returned"] == report["trip_counts"]["k"]


def test_pages_are_reported(atoll, pagerank, star):
    report = atoll.json("run", pagerank, "--graph", star, *ARGUMENTS)
    arrays = {array["name"]: array for array in report["arrays"]}
    assert {"begin", "r_begin", "r_node_idx", "pg_rank"} <= set(arrays)
    for array in arrays.values():
        for copy in array["copies"]:
            assert sum(copy["pages_by_node"].values()) >= 1
            assert copy["misplaced"] == 0


def test_the_help_names_the_other_use(atoll):
    programs, commands = atoll("run", "--help").stdout, atoll("run", "--help", "--").stdout
    for told in (programs, commands):
        assert "REQUIRED" not in told and "--help --" not in told
    for part in ["atoll run PROG.gm --graph FILE", "atoll help run --\n", "--arg", "shoal"]:
        assert part in programs
    for part in ["atoll run [--plan PLAN | --policy NAME] -- COMMAND", "atoll help run\n", "--plan PLAN", "\n  kmaf "]:
        assert part in commands


def test_what_is_missing_is_said(atoll, pagerank, star):
    assert "--graph" in atoll.refuses("run", pagerank)
    assert "nothing to run" in atoll.refuses("run")
    assert "Green-Marl programs only" in atoll.refuses("run", "--graph", star, "--", "true")


def test_text_fits_a_terminal(atoll, pagerank, star):
    text = atoll("run", pagerank, "--graph", star, *ARGUMENTS).stdout
    assert max(map(len, text.splitlines()[1:])) <= 80
    for part in ["How each array is used", "Where each array lies", "Highest pg_rank", "Time:"]:
        assert part in text


def test_dry_run_decides_for_other_machines(atoll, pagerank, star):
    opteron = atoll.json("run", pagerank, "--graph", star, "--dry-run", "--machine", "opteron-8x8",
                         "--policy", "shoal")
    layouts = {array["name"]: array["layout"] for array in opteron["arrays"]}
    assert layouts["r_begin"]["kind"] == "replicated"
    assert layouts["r_begin"]["nodes"] == list(range(8))
    assert opteron["threads"] == 64, "a thread for each core"


def test_pages_of_pools_where_a_machine_has_some(atoll, pagerank, star, tmp_path):
    machine = atoll.json("machine", "--machine", "xeon-2x10")
    machine["memories"][0]["free_2m_pages"] = 100
    pools = tmp_path / "pools.json"
    pools.write_text(json.dumps(machine))
    call = ["run", pagerank, "--graph", star, "--dry-run", "--machine", pools]
    report = atoll.json(*call, "--pages", "2m-pool")
    assert {array["layout"]["pages"] for array in report["arrays"]} == {"2m-pool"}
    assert "2 MiB pages from the pool" in atoll(*call, "--pages", "2m-pool").stdout
    assert "100 pages of 2 MiB" in atoll("machine", "--machine", pools).stdout
    line = atoll.refuses(*call, "--pages", "1g", code=1)
    assert "the pools of 1 GiB pages of xeon-2x10 have 0 B free" in line and "set pages aside" in line


def test_tables_of_a_run(atoll, pagerank, star, tmp_path):
    """`atoll run` passes options on to the compiled program."""
    options = ["--by", "pg_rank", "--ascending", "--top", 2, "--csv", tmp_path / "t.csv", "--time-limit", 100]
    report = atoll.json("run", pagerank, "--graph", star, *ARGUMENTS, *options)
    assert [row["label"] for row in report["tables"][0]["rows"]] == ["2", "3"]
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[0] == "node,pg_rank" and [line.split(",")[0] for line in lines[1:]] == list("0123456789")
    assert "'x' is not a property" in atoll.refuses("run", pagerank, "--graph", star, *ARGUMENTS, "--by", "x")


def test_a_procedure_without_a_graph(atoll, star, tmp_path):
    program = tmp_path / "sum.gm"
    program.write_text("Procedure sum(a: Long, b: Long; larger: Long) : Long { larger = a > b ? a : b; Return a + b; }")
    arguments = ["--arg", "a=9007199254740992", "--arg", "b=1"]
    report = atoll.json("run", program, *arguments)
    assert (report["returned"], report["outputs"]) == (9007199254740993, {"larger": 9007199254740992})
    assert atoll("run", program, *arguments).stdout.endswith("Returned: 9007199254740993\nlarger: 9007199254740992\n")
    assert "nothing" not in atoll("run", program, *arguments, "--dry-run").stdout
    assert "sum takes no graph" in atoll.refuses("run", program, *arguments, "--graph", star)
    atoll("compile", program, "-o", tmp_path / "sum")
    assert type(atoll)(tmp_path / "sum", tmp_path).json(*arguments)["returned"] == 9007199254740993


def test_a_second_run_starts_at_once(atoll, pagerank, star, processor_seconds):
    atoll("run", pagerank, "--graph", star, *ARGUMENTS)
    before = processor_seconds()
    atoll("run", pagerank, "--graph", star, *ARGUMENTS)
    assert processor_seconds() - before < 1  # compiling takes several


def test_the_answer_does_not_depend_on_the_threads(atoll, pagerank, tmp_path):
    graph = tmp_path / "graph.atoll"
    atoll("graph", "generate", "rmat", "--scale", 14, "-o", graph)
    saved = set()
    for threads in [1, 2, 3]:
        file = tmp_path / f"ranks{threads}"
        atoll("run", pagerank, "--graph", graph, *ARGUMENTS, "--threads", threads, "--save",
              f"pg_rank={file}")
        saved.add(file.read_bytes())
    assert len(saved) == 1


def test_a_program_has_the_ids_that_its_graph_needs(atoll, pagerank, star, tmp_path):
    """`atoll run` compiles a program for one width of ids, `atoll compile` for all widths."""
    wide = tmp_path / "wide.atoll"
    atoll("graph", "convert", star, "--wide-ids", "-o", wide)
    answers = [atoll.json("run", pagerank, "--graph", graph, *ARGUMENTS)["results"] for graph in [star, wide]]
    assert answers[0] == answers[1]
    for folder in ["one", "all"]:
        (tmp_path / folder).mkdir()
    one = type(atoll)(atoll.program, tmp_path / "one")
    one("run", pagerank, "--graph", star, *ARGUMENTS)
    program = next(file for file in (tmp_path / "one/atoll").iterdir() if not file.suffix)
    line = type(atoll)(program, tmp_path).refuses("--graph", wide, *ARGUMENTS)
    assert "wide.atoll" in line and "64 and 64 bits" in line and "atoll run" in line
    atoll("compile", pagerank, "-o", tmp_path / "all/pagerank")
    whole = type(atoll)(tmp_path / "all/pagerank", tmp_path)
    assert whole.json("--graph", wide, *ARGUMENTS)["results"] == answers[0]
