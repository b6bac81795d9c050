"""Looks at the pages of test/check-html in a browser: look.py BROWSER PROFILE FOLDER.

The browser is asked through its DevTools protocol, over a pipe. Prints what is wrong, and exits 1 if
anything is.
"""

import base64
import hashlib
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

MAX_NBYTES = 1000000
failures = []


def check(ok, *what):
    if not ok:
        failures.append(what)
        print("FAIL", *what)


class Browser:
    def __init__(self, program, profile):
        read_fd, self.to = os.pipe()
        self.source, write_fd = os.pipe()
        flags = [
            "--headless",
            "--disable-gpu",
            "--disable-dev-shm-usage",  # which is small in a container
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-background-networking",
            "--force-device-scale-factor=1",
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
        ]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        command = f'exec "$0" "$@" 3<&{read_fd} 4>&{write_fd}'
        self.process = subprocess.Popen(
            ["sh", "-c", command, program, *flags, "about:blank"],
            pass_fds=(read_fd, write_fd),
            stderr=subprocess.DEVNULL,
        )
        os.close(read_fd)
        os.close(write_fd)
        self.rest = b""
        self.numbers = itertools.count(1)
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def receive(self):
        while b"\0" not in self.rest:
            piece = os.read(self.source, 1 << 20)
            if not piece:
                sys.exit("check-html: the browser is gone")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    sys.exit(f"check-html: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        """Loads a page, and returns what it complained of and loaded besides."""
        self.load("about:blank")  # else another #q=... would be the same page
        self.events.clear()
        self.load(url)
        odd = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                odd.append(json.dumps(params)[:300])
            if method == "Network.requestWillBeSent" and params["request"]["url"] != url.split("#")[0]:
                odd.append("it loads " + params["request"]["url"])
        return odd

    def load(self, url):
        loader = self.call("Page.navigate", url=url)["loaderId"]

        def is_loaded(event):
            params = event.get("params", {})
            return params.get("loaderId") == loader and params.get("name") == "load"

        while not any(map(is_loaded, self.events)):
            self.events.append(self.receive())

    def js(self, expression):
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            sys.exit(f"check-html: {expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def key(self, key, code=0, text=None):
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **more)

    def media(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def size(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def shot(self, path):
        data = base64.b64decode(self.call("Page.captureScreenshot")["data"])
        path.write_bytes(data)
        return data


browser = Browser(sys.argv[1], sys.argv[2])
folder = pathlib.Path(sys.argv[3])


def url(name):
    return (folder / name).as_uri()


def shown(selector):
    return browser.js(
        f"Array.from(document.querySelectorAll({json.dumps(selector)}))"
        ".filter(function (e) { return e.getClientRects().length; }).length"
    )


# Labels within their bars, and ticks beside each other: [label, its right, the bar's right]
LABELS = """Array.from(document.querySelectorAll('g > text.m')).map(function (t) {
    var bar = t.parentNode.querySelector('path').getBBox(), box = t.getBBox();
    return [t.textContent, box.x, box.x + box.width, bar.x, bar.x + bar.width];
})"""
TICKS = """Array.from(document.querySelectorAll('svg[role=img]')).map(function (svg) {
    return Array.from(svg.querySelectorAll('text[text-anchor=middle]')).map(function (t) {
        var box = t.getBBox();
        return [box.x, box.x + box.width];
    });
})"""


def look_at_any(name):
    """What holds of every page."""
    file = folder / name
    check(file.stat().st_size < MAX_NBYTES, name, "is of", file.stat().st_size, "bytes")
    odd = browser.open(url(name))
    check(not odd, name, "is odd:", *odd)
    check(browser.js("window.hacked") is None, name, "ran something of the trace")
    inner = browser.js("document.querySelectorAll('img, iframe, object, embed, b, link, base').length")
    check(inner == 0, name, "has elements of the trace")
    check(browser.js("document.scripts.length") == 1, name, "has another script")
    check(browser.js("document.querySelectorAll('[onload], [onerror], [style]').length") == 0, name)
    ids = browser.js("Array.from(document.querySelectorAll('[id]')).map(function (e) { return e.id; })")
    check(len(ids) == len(set(ids)), name, "has an id twice")
    missing = browser.js(
        "Array.from(document.querySelectorAll('[aria-labelledby]')).filter(function (e) {"
        "return !e.getAttribute('aria-labelledby').split(' ').every(function (i) {"
        "return document.getElementById(i); }); }).length"
    )
    check(missing == 0, name, "has labels that lead nowhere")
    for text, left, right, bar_left, bar_right in browser.js(LABELS):
        check(left >= bar_left - 1 and right <= bar_right + 1, name, "a label sticks out:", text[:40])
    for ticks in browser.js(TICKS):
        for (_, right), (left, _) in zip(ticks, ticks[1:]):
            check(right < left, name, "ticks overlap")
    browser.size(400, 800)
    check(browser.js("document.documentElement.scrollWidth") <= 400, name, "is wider than a phone")
    browser.size(1000, 1400)


def look_at_policy(name):
    """The policy names the styles and the script that are there."""
    text = (folder / name).read_text(encoding="utf-8")
    parts = re.findall(r"<style>(.*?)</style>", text, re.S) + re.findall(r"<script>(.*?)</script>", text, re.S)
    hashes = [
        "sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts
    ]
    found = re.findall(r"sha256-[A-Za-z0-9+/]+=*", text.split("</head>")[0])
    check(found == hashes, "PAGE_POLICY of src/page_parts.c should have, in this order:", *hashes)


def look_at_use(name):
    """By keyboard, by address, without scripts."""
    browser.open(url(name))
    check(shown("article.fix") == 3 and shown("#threads tbody tr") == 2, name, "shows not all")
    check(shown("form") == 1 and browser.js("document.querySelector('output').value") == "", name)
    browser.key("Tab", 9)
    check(browser.js("document.activeElement.className") == "skip", "Tab does not go to the skip link")
    browser.key("/", 191, "/")
    check(browser.js("document.activeElement.id") == "filter", "/ does not go to the filter")
    browser.call("Input.insertText", text="MEMCPY")
    check(shown("article.fix") == 1 and shown("#threads tbody tr") == 0, "the filter does not filter")
    said = browser.js("document.querySelector('output').value")
    check(said == "1 of 3 pictures, 0 of 2 threads", "the filter says", said)
    check(browser.js("location.hash") == "#q=MEMCPY", "the address does not have the filter")
    browser.key("Escape", 27)
    check(shown("article.fix") == 3, "Escape does not clear the filter")
    browser.call("Input.insertText", text="snapped nvjet")
    check(shown("article.fix") == 1, "two words do not filter")
    check(browser.js("document.querySelector('article:not([hidden]) h3').textContent")[:8] == "3. nvjet", name)
    browser.key("Tab", 9)
    focus = browser.js("document.activeElement.className + document.activeElement.firstChild.nodeName")
    check(focus == "scrollsvg", "Tab does not go to the picture but to", focus)
    browser.open(url(name) + "#q=stream%207%20moved")
    check(shown("article.fix") == 1, "the address does not set the filter")
    browser.js("location.hash = '#q=nothing-has-this'")
    browser.js("new Promise(function (done) { setTimeout(done, 50); })")
    check(shown("article.fix") == 0, "another address does not set the filter")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(url(name) + "#q=nothing-has-this")
    check(shown("article.fix") == 3 and shown("form") == 0, name, "is not all there without scripts")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


def look_at_looks(name):
    """In light, in the dark, and on paper."""
    browser.open(url(name))
    light = browser.shot(folder / f"{name}.light.png")
    browser.media("dark")
    dark = browser.shot(folder / f"{name}.dark.png")
    ground = browser.js("getComputedStyle(document.body || document.querySelector('rect.bg')).backgroundColor")
    browser.media("light")
    check(len(light) > 10000 and len(dark) > 10000 and light != dark, name, "is the same in the dark")
    if name.endswith(".html"):
        browser.call("Emulation.setEmulatedMedia", media="print")
        browser.shot(folder / f"{name}.print.png")
        browser.call("Emulation.setEmulatedMedia", media="")
        check(ground == "rgb(13, 16, 20)", name, "is not dark:", ground)
        pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
        (folder / f"{name}.pdf").write_bytes(pdf)
        check(pdf[:4] == b"%PDF" and len(pdf) > 20000, name, "cannot be printed")


def count_bars():
    """Bars of the first picture: all, those that have changed or cross, the hatched part."""
    return browser.js(
        "['path[class^=k]', 'path.c', '.cx'].map(function (s) {"
        "return document.querySelector('svg[role=img]').querySelectorAll(s).length; })"
    )


def look_at_each():
    """What the pages of single traces say."""
    for name in ("empty", "clean"):
        look_at_any(f"{name}.html")
        text = browser.js("document.body.textContent")
        check("Nothing crosses" in text and shown("article.fix") == 0, name)
    look_at_any("sample.html")
    check(count_bars() == [16, 2, 1], "sample has", count_bars())
    look_at_any("check.html")
    check("what a fix would do" in browser.js("document.body.textContent"), "check.html")
    look_at_any("hostile.html")
    heads = browser.js("Array.from(document.querySelectorAll('h3')).map(function (e) { return e.textContent; })")
    check(len(heads) == 2, "hostile.html", heads)
    check(any("</script><script>hacked = 1</script><img src=x" in head for head in heads), heads)
    check(any("\\xff\\xfe\\xc0 controls \\x00\\x1b[2J\\n\\u202e" in head for head in heads), heads)
    look_at_any("many.html")
    check(shown("article.fix") == 50 and shown("#threads tbody tr") == 30, "many.html")
    text = browser.js("document.body.textContent")
    check("10 more, none of them larger, are not drawn" in text, "many.html does not say what is left out")
    first = browser.js("document.querySelector('h3').textContent")
    check(first == "1. second30 crosses first30 by 30.5\xa0\xb5s", "many.html begins with", first)
    look_at_any("pairs.html")
    check(count_bars() == [4, 2, 1], "pairs.html has", count_bars())
    look_at_any("huge.html")
    check((folder / "huge.html").stat().st_size < 40000, "huge.html is large")
    look_at_any("deep.html")
    drawn = browser.js("document.querySelectorAll('svg[role=img] .cx').length")
    check(drawn == shown("article.fix") == 2, "deep.html: a part that crosses is not shown:", drawn)
    check(browser.js("document.querySelectorAll('.fl').length") > 0, "deep.html has no arrows")
    look_at_any("crowd.html")
    check("more slices around are not drawn" in browser.js("document.body.textContent"), "crowd.html")


look_at_policy("sample.html")
look_at_each()
look_at_use("sample.html")
look_at_looks("sample.html")
for path in sorted(folder.glob("*.svg")):
    odd = browser.open(url(path.name))
    check(not odd and browser.js("document.documentElement.nodeName") == "svg", path.name, *odd)
    check(path.stat().st_size < 100000, path.name, "is large")
look_at_looks("sample.svg")
browser.process.terminate()
browser.process.wait()
print(f"check-html: {len(failures)} failures")
sys.exit(bool(failures))
