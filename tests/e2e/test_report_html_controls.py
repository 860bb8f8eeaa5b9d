"""The report's page: every control works by mouse and by keyboard, and is reachable with the Tab key."""

from report_pages import settle

# Every control, the keys that operate it, and the state that must change.
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
FOCUSABLE = "a[href], button, input, select, summary, [tabindex='0']"


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
    browser.run("document.getElementById('objects-find').focus()")
    rows = browser.run(STATE["objects"])
    browser.press("~")
    assert browser.run(STATE["objects"]) != rows
    browser.press("Backspace")
    assert browser.run(STATE["objects"]) == rows
    worked.add("objects-find")
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
            browser.click("#theme")  # the theme is already light
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
    # A dot's tooltip shows the dot's count.
    x, y = browser.run("""(() => {
        document.getElementById('excl-canvas').scrollIntoView({block: 'center', behavior: 'instant'});
        const box = document.getElementById('excl-canvas').getBoundingClientRect();
        const [x, y] = exclusivity.place(exclusivity.panels[0], [...exclusivity.grid[0].keys()][0]);
        return [box.x + x, box.y + y];
    })()""")
    browser.mouse("Moved", x, y)
    count = browser.run("[...exclusivity.grid[0].values()][0]")
    assert browser.run("document.querySelector('#tip strong').textContent").startswith(f"{count} page")
