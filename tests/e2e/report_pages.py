"""The pages that `atoll report --html` generates from profiles."""

import subprocess


class Made:
    """Profiles and their pages, each created once."""

    def __init__(self, atoll, build, folder):
        self.atoll, self.build, self.folder = atoll, build, folder

    def profile(self, name):
        path = self.folder / f"{name}.profile"
        if not path.exists():
            subprocess.run([self.build / "tests/e2e/atoll_make_profiles", name, path], check=True,
                           timeout=300)
        return path

    def seal(self, path):
        """Updates the checksums of a profile that a test has modified."""
        subprocess.run([self.build / "tests/e2e/atoll_make_profiles", "seal", path], check=True, timeout=60)

    def page(self, name, machine="xeon-x7550"):
        path = self.folder / f"{name}-{machine}.html"
        if not path.exists():
            self.atoll("report", self.profile(name), "--machine", machine, "--html", path,
                       errors="replace")
        return path

    def json(self, name):
        return self.atoll.json("report", self.profile(name), "--machine", "xeon-x7550")


def settle(browser):
    """Waits until the effects of actions are complete and on the screen."""
    browser.run("""window.drawn ??= [communication, exclusivity, pages].reduce((_, view) => {
        const draw = view.draw;
        view.draw = function (...all) { return window.drawing = Promise.all([window.drawing, draw.apply(this, all)]); };
        return true;
    }, 0)""")
    browser.run("(async () => { await window.drawing; })()")
    browser.frames()
