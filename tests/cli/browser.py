"""A headless Chromium driven through its debugging protocol over a pipe: no driver, no port, no Python package.

    with Browser() as browser:
        page = browser.open("file:///FOLDER/page.html")
        page.evaluate("document.title")

The protocol: https://chromedevtools.github.io/devtools-protocol/ (messages are JSON that ends with a zero byte).
"""
import base64
import contextlib
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
TIMEOUT = 60


def find():
    """Path of a Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser(contextlib.ExitStack):
    def __enter__(self):
        super().__enter__()
        profile = self.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        commands, self.write_end = os.pipe()
        self.read_end, answers = os.pipe()

        def connect():
            # The browser reads from its descriptor 3 and writes to 4; neither is to cover the other before it is copied.
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (commands, answers)]
            for place, end in zip((3, 4), ends):
                os.dup2(end, place)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-dev-shm-usage",
             "--disable-extensions", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=connect)
        os.close(commands)
        os.close(answers)
        self.callback(self.stop)
        self.buffer, self.last, self.events = b"", 0, []
        return self

    def stop(self):
        with contextlib.suppress(OSError):
            os.close(self.write_end)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)

    def receive(self):
        deadline = time.monotonic() + TIMEOUT
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            read = os.read(self.read_end, 1 << 20)
            if not read:
                raise EOFError("the browser ended")
            self.buffer += read
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") != self.last:
                self.events.append(answer)
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            return answer["result"]

    def open(self, url, width=1440, height=900, dark=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, url, (width, height), dark)


class Page:
    def __init__(self, browser, session, url, size, dark):
        self.browser, self.session = browser, session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")
        self.frame()

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, condition):
        deadline = time.monotonic() + TIMEOUT
        while not self.evaluate(condition):
            if time.monotonic() > deadline:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def frame(self):
        """Until what was asked to be drawn is drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def first_paint(self):
        """Milliseconds from the start of loading to the first content on the screen."""
        found = "performance.getEntriesByName('first-contentful-paint')[0]"
        self.wait(f"{found} !== undefined")
        return self.evaluate(f"{found}.startTime")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.frame()

    def click_on(self, selector):
        """The middle of the first element of `selector`, by the mouse."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        self.click(*self.evaluate(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
                                  "return [box.left + box.width / 2, box.top + box.height / 2]; })()"))

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name)
        self.frame()

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def complaints(self):
        """What the console says, exceptions, and requests of other files."""
        said = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, given = event.get("method"), event.get("params", {})
            if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
                said.append(json.dumps(given)[:600])
            if method == "Network.requestWillBeSent" and given["type"] != "Document" and not given["request"]["url"].startswith("data:"):
                said.append("loads " + given["request"]["url"])
        return said

    def screenshot(self):
        """What is in the window, as the bytes of a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
