"""`atoll report --html`: the page in a browser. What it shows equals the profile, every control
works by mouse and keyboard, nothing is logged and nothing is fetched, and a large profile stays
within 20 MB, 2 s to the first paint and 100 ms an action."""

import base64
import json
import math
import subprocess
import sys
from collections import Counter, defaultdict

import pytest

sys.path[:0] = [__file__.rsplit("/", 1)[0]]
from browser import Browser  # noqa: E402

PROFILES = ["hashsieve", "pipeline", "master", "random", "one-thread", "nothing", "many-threads",
            "awkward"]
CANVASES = ["comm-canvas", "excl-canvas", "pages-canvas"]


class Made:
    """Profiles and their pages, each made once."""

    def __init__(self, atoll, build, folder):
        self.atoll, self.build, self.folder = atoll, build, folder

    def profile(self, name):
        path = self.folder / f"{name}.profile"
        if not path.exists():
            subprocess.run([self.build / "tests/e2e/atoll_make_profiles", name, path], check=True,
                           timeout=300)
        return path

    def page(self, name, machine="xeon-x7550"):
        path = self.folder / f"{name}-{machine}.html"
        if not path.exists():
            self.atoll("report", self.profile(name), "--machine", machine, "--html", path,
                       errors="replace")
        return path

    def json(self, name):
        return self.atoll.json("report", self.profile(name), "--machine", "xeon-x7550")


@pytest.fixture(scope="module")
def made(atoll, build, tmp_path_factory):
    return Made(atoll, build, tmp_path_factory.mktemp("profiles"))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium):
    """Wide and light; whatever a test does, the console stays empty and nothing is fetched."""
    chromium.size(1280)
    chromium.scheme("light")
    chromium.console.clear()
    chromium.requests.clear()
    yield chromium
    assert chromium.console == []
    assert [url for url in chromium.requests
            if not url.startswith("data:") and not (url.startswith("file:") and ".html" in url)] == []


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
    """One node, and more nodes than fit beside each other."""
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
        {key: row[key] for key in ("mapping", "local_share", "busiest_share")}
        for row in report["what_if"]]
    shown = browser.run("""[...document.querySelectorAll('#what-if-table tbody tr')].map(
        (row) => [row.dataset.mapping, ...[...row.querySelectorAll('.value')].map((value) => value.textContent)])""")
    assert shown == [[row["mapping"], *(f"{100 * row[key]:.1f}\u00a0%" for key in
                                        ("local_share", "busiest_share"))]
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
    """Figure 2's cells, counted again from the profile's pages."""
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
    """Coarser levels of an object with more pages than a tile has columns."""
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
        assert browser.run("communication.describe()[0]") == f"{shown[1]:,} shared accesses".replace(",", "\u202f")


def test_affinity_brings_groups_together(browser, made):
    """Threads i and i + 150 are in one group; the order has every group in one piece."""
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


# Every control, the keys that work it, and what must have changed by then.
STATE = {
    "comm": "[communication.from, communication.span, communication.cursor, communication.matrix() === communication.matrices.writes, communication.order()[1], document.getElementById('comm-scale').value].join()",
    "excl": "[chosen.object, JSON.stringify(exclusivity.cursor), exclusivity.panels.length].join()",
    "pages": "[pages.object, pages.from, pages.span, JSON.stringify(pages.cursor), document.getElementById('pages-legend').textContent].join()",
    "objects": "[chosen.object, document.querySelectorAll('#objects-table tbody tr').length].join()",
    "tree": "[document.querySelectorAll('#tree-rows [data-level]').length, tree.active, document.querySelector('#tree-rows .tree-head').textContent].join()",
    "theme": "[theme.surface, document.getElementById('theme').textContent].join()",
}
CONTROLS = [
    ("comm-kind", "comm", ["ArrowDown"]), ("comm-order", "comm", ["ArrowDown"]),
    ("comm-scale", "comm", ["ArrowDown"]), ("comm-in", "comm", ["Enter"]),
    ("comm-out", "comm", [" "]), ("comm-in", "comm", [" "]), ("comm-all", "comm", ["Enter"]),
    *(("comm-canvas", "comm", [key]) for key in
      ["ArrowRight", "ArrowDown", "+", "ArrowUp", "ArrowLeft", "-", "+", "0"]),
    ("excl-node", "excl", ["ArrowDown"]), ("excl-object", "excl", ["ArrowDown"]),
    *(("excl-canvas", "excl", [key]) for key in ["ArrowRight", "ArrowRight", "ArrowLeft"]),
    ("objects-more", "objects", ["Enter"]), ("pages-object", "pages", ["ArrowDown"]),
    ("pages-object", "pages", ["ArrowUp"]), ("pages-kind", "pages", ["ArrowDown"]),
    ("pages-in", "pages", ["Enter"]), ("pages-right", "pages", ["Enter"]),
    ("pages-left", "pages", [" "]), ("pages-out", "pages", ["Enter"]),
    ("pages-in", "pages", ["Enter"]), ("pages-all", "pages", ["Enter"]),
    *(("pages-canvas", "pages", [key]) for key in
      ["ArrowRight", "ArrowDown", "+", "ArrowUp", "ArrowLeft", "-", "+", "0"]),
    ("tree-by", "tree", ["ArrowDown"]), ("tree-close", "tree", ["Enter"]),
    ("tree-hot", "tree", ["Enter"]), ("theme", "theme", ["Enter", "Enter"]),
]
FOCUSABLE = "a[href], button, select, [tabindex='0']"


def settle(browser):
    """What actions have started is done and on the screen."""
    browser.run("""window.drawn ??= [communication, exclusivity, pages].reduce((_, view) => {
        const draw = view.draw;
        view.draw = function (...all) { return window.drawing = Promise.all([window.drawing, draw.apply(this, all)]); };
        return true;
    }, 0)""")
    browser.run("(async () => { await window.drawing; await new Promise(requestAnimationFrame); })()")


def test_every_control_by_keyboard(browser, made):
    browser.open(made.page("hashsieve"))
    settle(browser)
    worked = set()
    for control, state, keys in CONTROLS:
        browser.run(f"document.getElementById('{control}').focus()")
        before = browser.run(STATE[state])
        for key in keys:
            browser.press(key)
        settle(browser)
        assert browser.run(STATE[state]) != before, f"{control}: {keys} did nothing"
        worked.add(control)
    # The buttons of the objects, the rows of the tree, the links.
    for i in (1, 0):
        browser.run(f"document.querySelectorAll('#objects-table .pick')[{i}].focus()")
        browser.press("Enter")
        settle(browser)
        assert browser.run("chosen.object") == i - 1
        assert browser.run(f"document.querySelectorAll('#objects-table .pick')[{i}].ariaPressed") == "true"
    browser.run("tree.openHot(); tree.point(true)")
    for key in ["ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp", "End", "Home", "Enter", " "]:
        before = browser.run(STATE["tree"])
        browser.press(key)
        assert browser.run(STATE["tree"]) != before, f"tree: {key} did nothing"
        assert browser.run("Number(document.activeElement.dataset.level) === tree.active")
    links = browser.run("[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))")
    for link in links:
        browser.run(f"document.querySelector('a[href=\"{link}\"]').focus()")
        browser.press("Enter")
        assert browser.run("location.hash") == link and browser.run(f"!!document.querySelector('{link}')")
    named = set(browser.run(f"[...document.querySelectorAll(\"{FOCUSABLE}\")].map((one) => one.id).filter(Boolean)"))
    assert named == worked


def test_every_control_is_reached_by_tab_and_seen(browser, made):
    browser.open(made.page("hashsieve"))
    count = browser.run(f"""(() => {{
        const all = [...document.querySelectorAll("{FOCUSABLE}")].filter((one) => !one.disabled && one.checkVisibility());
        all.forEach((one, i) => {{ one.dataset.stop = i; }});
        return all.length;
    }})()""")
    stops = []
    for _ in range(count):
        browser.press("Tab")
        stop, name, width, style = browser.run("""(() => {
            const one = document.activeElement, {outlineWidth, outlineStyle} = getComputedStyle(one);
            const label = one.ariaLabel || one.textContent || one.labels?.[0]?.textContent;
            return [one.dataset.stop, label?.trim(), parseFloat(outlineWidth), outlineStyle];
        })()""")
        assert name, f"stop {stop} has no name"
        assert width >= 2 and style != "none", f"{name}: the focus isn't seen"
        stops.append(int(stop))
    assert stops == list(range(count))


def test_every_control_by_mouse(browser, made):
    browser.open(made.page("hashsieve"))
    settle(browser)
    for button, state in [("comm-in", "comm"), ("comm-out", "comm"), ("comm-in", "comm"),
                          ("comm-all", "comm"), ("pages-in", "pages"), ("pages-right", "pages"),
                          ("pages-left", "pages"), ("pages-out", "pages"), ("pages-in", "pages"),
                          ("pages-all", "pages"), ("objects-more", "objects"),
                          ("tree-close", "tree"), ("tree-hot", "tree"), ("theme", "theme")]:
        if button == "theme":
            browser.click("#theme")  # light, as it is
        before = browser.run(STATE[state])
        browser.click(f"#{button}")
        settle(browser)
        assert browser.run(STATE[state]) != before, f"{button} did nothing"
    browser.click("#tree-rows [aria-expanded]")
    assert browser.run("document.querySelector('#tree-rows [aria-expanded]').ariaExpanded") == "false"
    browser.click("#objects-table [data-object='0'] button")
    settle(browser)
    assert browser.run("chosen.object") == 0
    for canvas, state in [("comm-canvas", "comm"), ("pages-canvas", "pages")]:  # dragging zooms
        box = browser.box(f"#{canvas}")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        before = browser.run(STATE[state])
        browser.mouse("Moved", x, y)
        assert browser.run("!document.getElementById('tip').hidden")
        browser.mouse("Pressed", x, y, button="left", buttons=1, clickCount=1)
        browser.mouse("Moved", x + 60, y + 60, button="left", buttons=1)
        browser.mouse("Released", x + 60, y + 60, button="left")
        settle(browser)
        assert browser.run(STATE[state]) != before
        span = browser.run("communication.span" if state == "comm" else "pages.span")
        assert span < browser.run("communication.size" if state == "comm" else "pages.map.pages") / 4
    # A dot's tooltip tells the dot's count.
    x, y = browser.run("""(() => {
        document.getElementById('excl-canvas').scrollIntoView({block: 'center', behavior: 'instant'});
        const box = document.getElementById('excl-canvas').getBoundingClientRect();
        const [x, y] = exclusivity.place(exclusivity.panels[0], [...exclusivity.grid[0].keys()][0]);
        return [box.x + x, box.y + y];
    })()""")
    browser.mouse("Moved", x, y)
    count = browser.run("[...exclusivity.grid[0].values()][0]")
    assert browser.run("document.querySelector('#tip strong').textContent").startswith(f"{count} page")


def test_a_large_profile_is_light_and_fast(browser, made, sanitized):
    """10^6 pages x 64 threads, each pair of them."""
    if sanitized:
        pytest.skip("times of a build with a sanitizer say nothing")
    page = made.page("large")
    assert page.stat().st_size <= 20_000_000
    # Others use the machine too: the fastest of some tries is the page's own time.
    for _ in range(6):
        browser.open(page)
        paint = browser.run("performance.getEntriesByType('paint')[0].startTime")
        if paint <= 2000:
            break
    assert paint <= 2000
    settle(browser)
    assert "left out to keep the page below 20 MB" in browser.run(
        "(async () => { await pages.show(0, 8); return document.getElementById('pages-state').textContent; })()")
    actions = {
        **{f"{name} {value}": f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change')); }})(document.getElementById('{name}'))"
           for name, values in {"comm-kind": ["writes", "all"], "comm-order": ["affinity", "number"],
                                "comm-scale": ["log", "linear"], "excl-node": ["2", "-1"],
                                "excl-object": ["0", "1", "-1"], "pages-object": ["1", "2", "0"],
                                "pages-kind": ["writes", "all"], "tree-by": ["bytes", "accesses"]}.items()
           for value in values},
        **{f"press {name}": f"document.getElementById('{name}').click()" for name in
           ["comm-in", "comm-out", "comm-all", "pages-in", "pages-right", "pages-in", "pages-in",
            "pages-left", "pages-out", "pages-all", "tree-close", "tree-hot", "theme"]},
        **{f"{canvas} {key}": f"document.getElementById('{canvas}').dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}'}}))"
           for canvas in CANVASES for key in ["ArrowRight", "ArrowDown", "+", "-", "0"]},
        **{f"point at {canvas}": f"""(c => {{ const b = c.getBoundingClientRect();
            c.dispatchEvent(new PointerEvent('pointermove', {{clientX: b.x + b.width / 3, clientY: b.y + b.height / 2}})); }})(document.getElementById('{canvas}'))"""
           for canvas in CANVASES},
    }
    slow = dict.fromkeys(actions, math.inf)
    for _ in range(10):
        for name in slow:
            slow[name] = browser.run(f"""(async () => {{
                await new Promise(requestAnimationFrame);
                pages.tiles.clear();
                exclusivity.grids.clear();
                const start = performance.now();
                {actions[name]};
                await window.drawing;
                return performance.now() - start;
            }})()""")
        slow = {name: time for name, time in slow.items() if time > 100}
    assert slow == {}


def test_a_place_that_cant_be_written(atoll, made, tmp_path):
    line = atoll.refuses("report", made.profile("random"), "--html", tmp_path / "no/page.html")
    assert "page.html" in line
