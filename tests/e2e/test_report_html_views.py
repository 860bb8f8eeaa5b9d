"""The report's page: advice and its commands, the footprint over time, communication by node, idle processes, and
search and sort of objects show the profile's data."""

import json

import pytest
from report_pages import settle

MACHINE = "xeon-x7550"


def texts(browser, selector):
    return browser.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)")


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize("name", ["hashsieve", "pipeline", "master", "one-thread", "nothing"])
def test_advice_is_that_of_the_verb(browser, atoll, made, tmp_path, name):
    profile = made.profile(name)
    said = words(atoll("advise", profile, "--machine", MACHINE, errors="replace").stdout)
    plan = atoll.json("advise", profile, "--machine", MACHINE)
    browser.open(made.page(name))
    lines = browser.run("values.advice.recommendations.map(({action, text}) => `- ${action}: ${text}`)")
    assert lines and all(words(line) in said for line in lines)
    assert said.count(" - ") == len(lines)
    shown = texts(browser, ".advice-list li")
    assert all(line[2:] in one for line, one in zip(lines, shown, strict=True))
    changes = "threads" in plan or "objects" in plan
    assert (f"next atoll advise {profile}" in said) == changes
    assert texts(browser, "#verdict-title") == [
        "Nothing was recorded" if name == "nothing" else "A plan would help" if changes else "No plan would help"]
    if not changes:
        assert texts(browser, "#advice-commands") == []
        assert len(texts(browser, "#advice-none")) == 1
        return
    assert f"why: {browser.run('values.advice.why')}" in said
    file = tmp_path / "plan.json"
    following = words(atoll("advise", profile, "--machine", MACHINE, "-o", file).stdout)
    first, second = map(str.strip, texts(browser, "#advice-commands code"))
    assert said.endswith(f"next {first}")
    assert following.endswith(f"next {second.replace('plan.json', str(file))}")
    cells = texts(browser, "#advice-table td")
    expected = [f"{100 * plan[when][share]:.0f} %" for share in ("local_share", "busiest_share")
                for when in ("before", "after")]
    assert cells == [*expected, *(f"{plan[when]['time']:.2f}" for when in ("before", "after"))]


def test_samples_are_said_as_far_as_they_tell(browser, atoll, made):
    said = words(atoll("advise", made.profile("sampled"), "--machine", MACHINE).stdout)
    browser.open(made.page("sampled"))
    shown = [words(text) for text in texts(browser, "#advice-table td, #objects-table td.c3, #what-if-table td .value")]
    assert all(text == "-" or "-" in text or "." in text and "%" not in text for text in shown), shown
    cells = texts(browser, "#advice-table td")
    for row, name in enumerate(("local page uses", "at the busiest memory (equal: 25 %)")):
        if cells:
            assert f"{name} {cells[2 * row]} {cells[2 * row + 1]}" in said
    assert bool(cells) == ("next atoll advise" in said)
    assert "Samples" in texts(browser, "#communication .comm-layout")[0]
    assert browser.run("byId('footprint-sampled').checkVisibility()")


def test_one_node_is_advised_on_nothing(browser, made):
    browser.open(made.page("hashsieve", "pu:2"))
    assert texts(browser, "#verdict-title") == ["No plan would help"]
    assert texts(browser, "#advice-commands") == []
    assert browser.run("document.querySelectorAll('#comm-nodes tbody td').length") == 1


def test_terms_are_explained_where_they_stand(browser, made):
    browser.open(made.page("hashsieve"))
    assert "the node that touched it first" in texts(browser, "#what-if-table [data-mapping=os] small")[0]
    for term, meaning in [("Structure", "inside"), ("Exclusivity", "comes from one node")]:
        (figure,) = [text for text in texts(browser, "#figures div") if text.startswith(term)]
        assert meaning in figure
    assert "part of its memory traffic" in texts(browser, "#excl-lead")[0]


def test_advice_stands_above_the_figures(browser, made):
    browser.open(made.page("hashsieve"))
    assert browser.run("byId('advice').getBoundingClientRect().bottom <= byId('figures').getBoundingClientRect().top")


def test_the_footprint_is_the_profiles(browser, made):
    report = made.json("random")
    browser.open(made.page("random"))
    for i, pages in [(-1, report["footprint"]), (0, report["objects"][0]["footprint"]), (-1, report["footprint"])]:
        if i != browser.run("chosen.object"):  # initially, the program (-1) is drawn without a selection
            browser.run(f"chosen.choose({i})")
            settle(browser)
        heights = browser.run("[...document.querySelectorAll('#footprint-bars i')].map((bar) => parseFloat(bar.style.height))")
        assert heights == pytest.approx([100 * count / max(pages) for count in pages], abs=0.01)
        browser.run("document.querySelector('#footprint details').open = true")
        assert texts(browser, "#footprint-table td") == [f"{count:,}".replace(",", "\u202f") for count in pages]
    assert max(report["footprint"]) > 0
    assert f"at most {max(report['footprint'])} page" in texts(browser, "#footprint-most")[0]
    box = browser.box("#footprint-bars")
    browser.mouse("Moved", box["x"] + 2, box["y"] + box["height"] - 2)
    assert texts(browser, "#tip strong")[0].startswith(f"{report['footprint'][0]} page")


@pytest.mark.parametrize("kind,member", [("all", "communication"), ("writes", "write_communication")])
def test_communication_by_node_sums_the_threads(browser, made, kind, member):
    report = made.json("random")
    nodes, of = len(report["nodes"]), report["nodes_of_threads"]
    expected = [[0] * nodes for _ in range(nodes)]
    for i, row in enumerate(report[member]):
        for j, amount in enumerate(row[:i]):
            expected[of[i]][of[j]] += amount
            if of[i] != of[j]:
                expected[of[j]][of[i]] += amount
    assert sum(map(sum, expected)) > 0
    browser.open(made.page("random"))
    browser.run(f"byId('comm-kind').value = '{kind}'; byId('comm-kind').dispatchEvent(new Event('change'))")
    shown = browser.run("[...document.querySelectorAll('#comm-nodes tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.dataset.amount)))")
    assert shown == expected
    pairs = sum(amount for i, row in enumerate(report[member]) for amount in row[:i])
    assert browser.run(f"nodeCommunication.sums(nodeCommunication.matrices.{kind})") == {
        "all": pairs, "inside": sum(expected[i][i] for i in range(nodes))}


def test_many_nodes_show_those_that_communicate_most(browser, made):
    browser.open(made.page("many-threads", "altix-3700"))
    assert browser.run("nodeCount") == 256
    assert len(texts(browser, "#comm-nodes tbody tr")) == 16
    assert "of 256" in texts(browser, "#comm-nodes .note")[0]


def test_idle_processes_are_folded(browser, made):
    browser.open(made.page("scripted"))
    assert texts(browser, "#processes-body > .scroll tbody th") == ["app"]
    assert texts(browser, "#processes-body summary")[0].startswith("31 idle processes")
    folded = "[...document.querySelectorAll('.idle tbody tr')].filter((row) => row.checkVisibility()).map((row) => row.querySelector('th').textContent)"
    assert browser.run(folded) == []
    browser.run("document.querySelector('.idle summary').focus()")
    browser.press("Enter")
    assert browser.run(folded) == ["sh", "true × 30"]
    browser.click(".idle summary")
    assert browser.run(folded) == []


def test_one_process_needs_no_table(browser, made):
    browser.open(made.page("hashsieve"))
    assert not browser.run("byId('processes').checkVisibility()")


ROWS = "[...document.querySelectorAll('#objects-table tbody tr')].slice(1).map((row) => Number(row.dataset.object))"


def find(browser, text):
    browser.run(f"byId('objects-find').value = {json.dumps(text)}; byId('objects-find').dispatchEvent(new Event('input'))")


def test_objects_are_found(browser, made):
    report = made.json("several")
    names = [thing["name"] for thing in report["objects"]]
    browser.open(made.page("several"))
    assert len(browser.run(ROWS)) == 8 < len(names)
    browser.run("byId('objects-find').focus()")
    for letter in "remote":
        browser.press(letter)
    expected = [i for i, name in enumerate(names) if "remote" in name]
    assert browser.run(ROWS) == expected and len(expected) == 8
    assert texts(browser, "#objects-found") == [f"8 of {len(names)} objects"]
    find(browser, "MAKE remote_3")  # all words, case-insensitive
    assert browser.run(ROWS) == [names.index("make_remote_3")]
    assert not browser.run("byId('objects-more').checkVisibility()")
    find(browser, "nowhere")
    assert browser.run(ROWS) == []
    find(browser, "")
    assert browser.run(ROWS) == list(range(8)) and texts(browser, "#objects-found") == [""]


@pytest.mark.parametrize("column,key", [
    (0, lambda one: one["name"]), (1, lambda one: one["bytes"]), (2, lambda one: one["traffic"]),
    (3, lambda one: one["what_if"][0]["local_share"]), (4, lambda one: one["exclusivity"])])
def test_objects_are_sorted(browser, made, column, key):
    browser.open(made.page("hashsieve"))
    browser.run("byId('objects-more').click()")
    objects = browser.run("values.objects")
    usual = browser.run(ROWS)
    assert usual == list(range(len(objects)))
    head = f"#objects-table thead th:nth-child({column + 1})"
    sorts = f"[...document.querySelectorAll('#objects-table thead th')].map((head) => head.getAttribute('aria-sort'))"
    orders = ["ascending", "descending"] if column == 0 else ["descending", "ascending"]
    for order in orders:
        browser.run(f"document.querySelector('{head} button').focus()")
        browser.press("Enter")
        values = [key(objects[i]) for i in browser.run(ROWS)]
        if column:
            assert values == sorted(values, reverse=order == "descending")
        else:
            folded = [value.lower() for value in values]
            assert folded == sorted(folded, reverse=order == "descending")
        assert browser.run(sorts) == [order if i == column else None for i in range(7)]
        assert browser.run("document.activeElement.className") == "sort"
    browser.click(f"{head} button")
    assert browser.run(ROWS) == usual and browser.run(sorts) == [None] * 7
