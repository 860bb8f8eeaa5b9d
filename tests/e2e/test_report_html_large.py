"""The report's page of a large profile stays within 20 MB, 2 s to the first paint and 100 ms per action."""

import math

import pytest
from report_pages import settle

CANVASES = ["comm-canvas", "excl-canvas", "pages-canvas"]


def test_a_large_profile_is_light_and_fast(browser, made, sanitized):
    """The profile has 10^6 pages of 64 threads, which all share data with each other."""
    if sanitized:
        pytest.skip("times of a build with a sanitizer say nothing")
    page = made.page("large")
    assert page.stat().st_size <= 20_000_000
    # Other programs also use the machine: the fastest of several attempts is the page's own time.
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
            # Decoded and counted data are dropped before each action, except before a change of colours,
            # which applies to the page as shown.
            is_fresh = "true" if name != "press theme" else "false"
            slow[name] = browser.run(f"""(async () => {{
                await new Promise(requestAnimationFrame);
                if ({is_fresh}) {{
                    pages.tiles.clear();
                    exclusivity.grids.clear();
                }}
                const start = performance.now();
                {actions[name]};
                await window.drawing;
                return performance.now() - start;
            }})()""")
        slow = {name: time for name, time in slow.items() if time > 100}
    assert slow == {}
