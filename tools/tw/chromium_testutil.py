# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for tests of pages, driven over a pipe; no other package needed."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find() -> str:
    """The path of a browser."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "no Chromium here: tools/dev/setup.sh --tests installs it"
    return found


class Chromium:
    """One page of a browser.

    Example:
        with Chromium() as page:
            page.open(path)
            page.click("#fit")
            page.screenshot(png)
    """

    def __init__(self, width: int = 1440, height: int = 900, dark: bool = False):
        self._size = (width, height)
        self._dark = dark
        self._number = 0
        self._session: str | None = None
        self._buffer = b""
        self.errors: list[str] = []

    def __enter__(self) -> Chromium:
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]
        flags += ["--disable-dev-shm-usage", "--remote-debugging-pipe"]
        flags += ["--disable-extensions", "--disable-background-networking"]
        command = [find(), *flags, f"--user-data-dir={self._home.name}", "about:blank"]
        # A library that a sanitizer preloads into Python would make the browser hang.
        environ = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        # The browser reads commands from descriptor 3 and answers on 4.
        shell = 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser)
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "chromium", *command],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**environ, "HOME": self._home.name},
        )
        os.close(to_browser)
        os.close(from_browser)
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._call("Page.enable")
        self._call("Runtime.enable")
        width, height = self._size
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = "dark" if self._dark else "light"
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._call("Emulation.setEmulatedMedia", features=features)
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self._process.terminate()
        self._process.wait(60)
        os.close(self._out)
        os.close(self._in)
        self._home.cleanup()

    def open(self, path: pathlib.Path, fragment: str = "") -> None:
        """Loads a file and waits until its scripts have run."""
        self._call("Page.navigate", url=f"{path.resolve().as_uri()}{fragment}")
        self.wait("document.body && document.body.dataset.ready === 'yes'")

    def value(self, expression: str) -> Any:
        """Returns the value of a JavaScript expression."""
        answer = self._call(
            "Runtime.evaluate", expression=expression, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def wait(self, expression: str) -> None:
        waiting = f"""new Promise((done, fail) => {{
            const end = Date.now() + 20000;
            (function look() {{
                if ({expression}) done(true);
                else if (Date.now() > end) fail(new Error("waited in vain"));
                else setTimeout(look, 20);
            }})();
        }})"""
        answer = self._call("Runtime.evaluate", expression=waiting, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {self.errors}")

    def click(self, selector: str) -> None:
        """Presses and releases the mouse in the middle of an element."""
        x, y = self.value(
            f"(() => {{ const r = document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect();"
            " return [r.left + r.width / 2, r.top + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                button="left",
                clickCount=1,
            )

    def processor_seconds(self) -> float:
        """The processor's time of the page's main thread: it counts no other work of the machine.

        Call count_processor_time() before the page is opened.
        """
        metrics = self._call("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "ThreadTime")

    def count_processor_time(self) -> None:
        self._call("Performance.enable")

    def screenshot(self, path: pathlib.Path) -> None:
        data = self._call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(answer["params"])[:2000])
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._in, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)
