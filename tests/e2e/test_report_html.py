"""`atoll report --html`: the page in a browser. Its content equals the profile; it logs nothing and makes no
requests."""

import base64
import math
import sys
from collections import Counter, defaultdict

import pytest

PROFILES = ["hashsieve", "pipeline", "master", "random", "one-thread", "nothing", "many-threads",
            "awkward"]


@pytest.fixture
def rows(made, source):
    sys.path[:0] = [str(source / "tools")]
    import atoll_profile

    def query(name, text):
        return atoll_profile.connect(made.profile(name)).execute(text).fetchall()

    return query


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_is_drawn_and_fits(browser, made, name, scheme, width):
    browser.scheme(scheme)
    browser.size(width)
    browser.open(made.page(name))
    assert browser.run("document.documentElement.scrollWidth") <= width
    picture = base64.b64encode(browser.screenshot()).decode()
    colours, background = browser.run("""(async () => {
        const image = new Image();
        image.src = 'data:image/png;base64,%s';
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
        const counts = new Map();
        for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
        const most = [...counts].sort((a, b) => b[1] - a[1])[0][0];
        return [counts.size, (most & 255) + (most >> 8 & 255) + (most >> 16 & 255)];
    })()""" % picture)
    assert colours > 50
    assert background > 600 if scheme == "light" else background < 150


@pytest.mark.parametrize("machine,nodes,panels", [("pu:2", 1, 1), ("opteron-8x8", 8, 8),
                                                  ("altix-3700", 256, 16)])
def test_other_machines(browser, made, machine, nodes, panels):
    """Machines with one node, and with more nodes than fit next to each other."""
    browser.size(360)
    browser.open(made.page("pipeline", machine))
    assert browser.run("document.documentElement.scrollWidth") <= 360
    assert browser.run("nodeCount") == nodes
    assert browser.run("exclusivity.panels.length") == panels
    assert browser.run("byId('excl-canvas').height") < 10_000


def test_says_what_the_report_says(browser, made):
    report = made.json("hashsieve")
    browser.open(made.page("hashsieve"))
    assert browser.run("values.what_if") == [
        {key: row[key] for key in ("mapping", "local_share", "busiest_share", "time")}
        for row in report["what_if"]]
    shown = browser.run("""[...document.querySelectorAll('#what-if-table tbody tr')].map(
        (row) => [row.dataset.mapping, ...[...row.querySelectorAll('.value')].map((value) => value.textContent)])""")
    assert shown == [[row["mapping"], *(f"{100 * row[key]:.1f}\u00a0%" for key in
                                        ("local_share", "busiest_share")), f"{row['time']:.2f}"]
                     for row in report["what_if"]]
    verdict = browser.run("[...document.querySelectorAll('#verdict-lines li')].map((line) => line.textContent)")
    assert verdict == report["verdict"]["text"]
    top = browser.run("document.querySelector('.verdict').innerText")
    for words in (f"{report['slowdown']:.1f} times", "the system's own accesses", "nothing",
                  f"{100 * report['exclusivity']:.1f}", f"{report['structure']:.2f}",
                  f"{100 * report['what_if'][0]['busiest_share']:.1f}"):
        assert words in top
    objects = browser.run("values.objects.map(({name, reads, writes, pages, exclusivity}) => [name, reads, writes, pages, exclusivity])")
    assert objects == [[o["name"], o["reads"], o["writes"], o["pages"], o["exclusivity"]]
                       for o in report["objects"]][:100]


@pytest.mark.parametrize("name", ["random", "hashsieve"])
def test_dots_count_their_pages(browser, made, rows, name):
    """The cells of Figure 2 equal those counted here from the profile's pages."""
    report = made.json(name)
    nodes, node_of = len(report["nodes"]), report["nodes_of_threads"]
    first = {(p, page): node_of[thread]
             for p, page, thread in rows(name, "SELECT process, page, thread FROM first_touch")}
    counts = defaultdict(lambda: [0] * nodes)
    for thread, page, accesses in rows(name, "SELECT thread, page, reads + writes FROM pages"):
        counts[page][node_of[thread]] += accesses
    cells = [Counter() for _ in range(nodes)]
    for page, by_node in counts.items():
        share = (max(by_node) / sum(by_node) - 1 / nodes) / (1 - 1 / nodes)
        row = math.floor(math.log10(sum(by_node)) * 20)
        cells[first[0, page]][row * 200 + min(199, math.floor(max(0, share) * 200))] += 1
    browser.open(made.page(name))
    shown = browser.run("exclusivity.grid.map((cells) => [...cells])")
    assert [dict(map(tuple, node)) for node in shown] == [dict(node) for node in cells]


def test_dots_of_one_object(browser, made, rows):
    report = made.json("random")
    browser.open(made.page("random"))
    for i, shown in enumerate(report["objects"]):
        browser.run(f"chosen.choose({i})")
        pages = browser.run("exclusivity.grid.map((cells) => [...cells.values()].reduce((a, b) => a + b, 0))")
        assert pages == shown["balance"]["pages"]


def test_every_cell_of_the_map(browser, made, rows):
    report = made.json("random")
    browser.open(made.page("random"))
    for i, thing in enumerate(report["objects"]):
        expected = {(page, thread): (reads, writes) for page, thread, reads, writes in rows(
            "random", f"SELECT page, thread, reads, writes FROM pages WHERE object = {thing['id']}")}
        pages = sorted({page for page, _ in expected})
        shown = browser.run(f"""(async () => {{
            await chosen.choose({i});
            const found = [];
            for (let page = 0; page < pages.map.pages; ++page)
              for (let row = 0; row < pages.rows.length; ++row) {{
                pages.cursor = {{page, row}};
                const {{reads, writes, address}} = pages.find();
                if (reads + writes) found.push([address / 4096, pages.rows[row], reads, writes]);
              }}
            return found;
        }})()""")
        assert {(page, thread): (r, w) for page, thread, r, w in shown} == expected
        assert browser.run("pages.map.pages") == len(pages) == thing["pages"]


def test_columns_sum_their_pages(browser, made, rows):
    """Checks all zoom levels of an object with more pages than a tile has columns."""
    browser.open(made.page("master"))
    by_rank = defaultdict(int)
    ranks = {}
    for page, thread, accesses in rows("master", "SELECT page, thread, reads + writes FROM pages ORDER BY page"):
        by_rank[ranks.setdefault(page, len(ranks)), thread] += accesses
    levels = browser.run("values.maps[0].levels.map(({pages_a_column}) => pages_a_column)")
    assert levels == [1, 4, 16]
    for level, unit in enumerate(levels):
        shown = browser.run(f"""(async () => {{
            const sums = [];
            for (let i = 0; i < pages.map.levels[{level}].tiles.length; ++i)
              for (const [thread, cells] of (await pages.tile({level}, i)).threads)
                cells.columns.forEach((column, at) => sums.push([512 * i + column, thread, cells.reads[at] + cells.writes[at]]));
            return sums;
        }})()""")
        expected = defaultdict(int)
        for (rank, thread), accesses in by_rank.items():
            expected[rank // unit, thread] += accesses
        assert {(column, thread): accesses for column, thread, accesses in shown} == dict(expected)


def test_the_matrix_is_the_profiles(browser, made):
    browser.open(made.page("random"))
    report = made.json("random")
    for kind, member in [("all", "communication"), ("writes", "write_communication")]:
        shown = browser.run(f"[...communication.matrices.{kind}]")
        assert shown == [amount for row in report[member] for amount in row]
        assert sum(shown) > 0
        browser.run(f"byId('comm-kind').value = '{kind}'; byId('comm-kind').dispatchEvent(new Event('change'))")
        assert browser.run("communication.most") == max(shown)
        assert browser.run("communication.describe()[0]") == f"{shown[1]:,} shared lines of memory traffic".replace(",", "\u202f")


def test_affinity_brings_groups_together(browser, made):
    """Threads i and i + 150 form a group; in the order, each group is contiguous."""
    browser.open(made.page("many-threads"))
    order = browser.run("values.communication.order")
    assert sorted(order) == list(range(1200))
    groups = [thread % 150 for thread in order]
    assert sum(a != b for a, b in zip(groups, groups[1:])) == 149


def test_names_from_the_program_stay_text(browser, made):
    browser.open(made.page("awkward"))
    name = "</script><script>document.title='broken'</script><!--<b>&amp;\"'\ufffd"
    assert browser.run("document.title") != "broken"
    assert browser.run("document.querySelectorAll('script').length") == 3
    assert browser.run("document.querySelectorAll('b').length") == 0
    for place in ("#command", "#stated", "#objects-table", "#tree-rows", "#pages-object"):
        assert name in browser.run(f"document.querySelector('{place}').textContent")


def test_small_callees_fold_into_one_row(browser, made):
    browser.open(made.page("many-threads"))
    rows = "[...document.querySelectorAll('#tree-rows [data-level] .t0')].map((row) => row.textContent.trim())"
    folded = browser.run(rows)
    assert "not measured" in browser.run("document.getElementById('stated').textContent")
    assert len(folded) == 1 + 12 + 1 + 1 and folded[-2].endswith("19 smaller")
    browser.run("tree.active = tree.shown.at(-2); tree.point(true)")
    browser.press("ArrowRight")
    assert len(browser.run(rows)) == 1 + 31 + 1
    assert "make_small_11" in browser.run("document.activeElement.textContent")
    browser.press("ArrowLeft")
    assert browser.run("tree.active") == 0
    assert browser.run("tree.sorted(0).reduce((sum, i) => sum + tree.levels[i].reads, 0) === tree.levels[0].reads")


def test_a_place_that_cant_be_written(atoll, made, tmp_path):
    line = atoll.refuses("report", made.profile("random"), "--html", tmp_path / "no/page.html")
    assert "page.html" in line
