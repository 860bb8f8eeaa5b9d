"""A headless Chromium, controlled by its DevTools protocol over a pipe: JSON messages that end in NUL. Records the
page's console messages and requests from the start."""

import base64
import json
import os
import select
import subprocess
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"]
KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), " ": (32, " "), "ArrowLeft": (37, ""),
        "ArrowUp": (38, ""), "ArrowRight": (39, ""), "ArrowDown": (40, ""), "Home": (36, ""),
        "End": (35, ""), "Backspace": (8, "")}


class Browser:
    """One page. A call that exceeds its time limit fails, and reports which parts of the browser still respond."""

    def __init__(self, folder):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._log = folder / "stderr"
        script = 'exec 3<&"$1" 4>&"$2" 2>"$3"; shift 3; exec chromium "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", str(to_browser), str(from_browser), str(self._log),
             *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self.console, self.requests = [], []
        self._session = None
        self._page = None
        self.call("Target.setDiscoverTargets", discover=True)  # reports crashes as Target.targetCrashed
        while not (pages := [t for t in self.call("Target.getTargets")["targetInfos"]
                             if t["type"] == "page"]):
            time.sleep(0.05)
        self._page = pages[0]["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=self._page,
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        # Chromium draws no frames for a page that it considers hidden, for example behind another window. A
        # wait for a frame would then never end. With this setting, the page always counts as visible.
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def close(self):
        os.close(self._out)  # the browser ends when its pipe is closed
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)

    def call(self, method, timeout=60, **parameters):
        try:
            answer = self._ask(method, timeout, parameters)
        except (AssertionError, BrokenPipeError) as error:
            raise AssertionError(f"{method}: {error}\n{self._state()}") from None
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def _ask(self, method, timeout, parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        end = time.monotonic() + timeout
        while (answer := self._receive(end)).get("id") != message["id"]:
            if answer.get("method") == "Target.targetCrashed":
                crash = answer["params"]  # after a crash, the call in progress gets no answer
                assert crash["targetId"] != self._page, \
                    f"the page has crashed: {crash['status']} {crash['errorCode']}"
        return answer

    def _state(self):
        """Returns the parts that still respond, and the browser's last output, for error messages."""
        lines = []
        for what, method, parameters in [
                ("the browser", "Browser.getVersion", {}),
                ("the page's thread", "Runtime.evaluate", {"expression": "1"}),
                ("a frame", "Runtime.evaluate", {"expression": "new Promise(requestAnimationFrame)",
                                                 "awaitPromise": True})]:
            try:
                answer = self._ask(method, 5, parameters)
                lines.append(f"{what}: {answer.get('error', 'answers')}")
            except (AssertionError, BrokenPipeError) as error:
                lines.append(f"{what}: {error}")
        log = self._log.read_text(errors="replace").splitlines()
        return "\n".join([*lines, *[line for line in log if "dbus/" not in line][-20:]])

    def _receive(self, end):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            assert ready, "no answer in time"
            read = os.read(self._in, 1 << 20)
            assert read, "the browser has ended"
            self._buffer += read
        line, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(line)
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.console.append(json.dumps(parameters["args"]))
        elif method == "Runtime.exceptionThrown":
            self.console.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.console.append(json.dumps(parameters["entry"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        return message

    def open(self, path, timeout=60):
        """Loads a file and waits until its scripts have drawn everything."""
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait("document.documentElement?.dataset.ready === 'yes'", timeout)

    def run(self, script, timeout=60):
        """Returns the value of an expression, or the result of a promise."""
        answer = self.call("Runtime.evaluate", timeout=timeout, expression=script,
                           awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, f"{script}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def wait(self, condition, timeout=30):
        end = time.monotonic() + timeout
        while not self.run(condition):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def size(self, width, height=900, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=mobile)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": name}])

    def press(self, key):
        code, text = KEYS.get(key, (ord(key[0].upper()), key))
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key,
                  windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def frames(self):
        """Waits for two frames, so that the screen shows the current state of the page."""
        for _ in range(3):
            if self.run("""new Promise((done) => {
                    requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
                    setTimeout(done, 20_000, false);
                })"""):
                return
            # Once in CI, no frame was drawn for a minute. A screenshot requests one.
            self.screenshot(whole=False)
        raise AssertionError(f"no frame is drawn\n{self._state()}")

    def box(self, selector):
        """Scrolls to an element, and returns its position on the screen when the screen shows it."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{element}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        self.frames()
        return self.run(f"{element}.getBoundingClientRect().toJSON()")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, **more)

    def click(self, selector):
        box = self.box(selector)
        at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for kind in ("Pressed", "Released"):
            self.mouse(kind, *at, button="left", buttons=1, clickCount=1)

    def screenshot(self, path=None, whole=True):
        picture = base64.b64decode(
            self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"])
        if path:
            path.write_bytes(picture)
        return picture
