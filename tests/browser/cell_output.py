"""The output of a notebook's cell in a page of nobody's: the widget's own script, and messages to and from Python.

What Jupyter's front end and kernel do between a widget's two halves is done here by a page and a comm; a full test has
the same in a real JupyterLab.
"""

import base64
import queue
from typing import Any

from playwright.sync_api import FrameLocator, Page

from attention_observatory.widget import Explorer

WAITED_S = 30
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>A notebook</title></head>
<body data-jp-theme-light="THEME" style="margin: 0"><div id="cell"></div></body></html>"""
FRONT_END = """async ({ script, state }) => {
  const heard = new Map();
  const said = (event, ...given) => (heard.get(event) ?? []).forEach((listener) => listener(...given));
  let changed = {};
  const put = (name, value) => { state[name] = value; said("change:" + name); };
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer);
  window.hear = (messages) => messages.forEach(({ data, buffers }) => {
    if (data.method === "update") Object.entries(data.state).forEach(([name, value]) => put(name, value));
    if (data.method === "custom") said("msg:custom", data.content, buffers.map(bytes));
  });
  const tell = (data) => window.python(data).then(window.hear);
  const model = {
    get: (name) => state[name],
    set: (name, value) => { changed[name] = value; put(name, value); },
    save_changes: () => { if (Object.keys(changed).length) tell({ method: "update", state: changed }); changed = {}; },
    on: (event, listener) => heard.set(event, [...(heard.get(event) ?? []), listener]),
    off: (event, listener) => heard.set(event, (heard.get(event) ?? []).filter((one) => one !== listener)),
    send: (content) => tell({ method: "custom", content }),
  };
  const module = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  window.end = module.default.render({ model, el: document.querySelector("#cell") });
}"""


class Comm:
    """Keeps what the widget in Python sends."""

    comm_id = "a"
    kernel = True

    def __init__(self) -> None:
        self.sent: queue.Queue[dict[str, Any]] = queue.Queue()

    def on_msg(self, callback: Any) -> None: ...

    def close(self, *_: Any, **__: Any) -> None: ...

    def send(self, data: Any, buffers: Any = None, **_: Any) -> None:
        texts = [base64.b64encode(each).decode() for each in buffers or []]
        self.sent.put({"data": data, "buffers": texts})

    def rest(self) -> list[dict[str, Any]]:
        return [self.sent.get_nowait() for _ in range(self.sent.qsize())]


class Cell:
    """A widget that is shown in a page."""

    def __init__(self, page: Page, explorer: Explorer, *, is_light: bool = True) -> None:
        self.page, self.explorer, self._comm = page, explorer, Comm()
        explorer.comm = self._comm
        page.expose_function("python", self._python)
        page.set_content(PAGE.replace("THEME", str(is_light).lower()))
        state = {name: value for name, value in explorer.get_state().items() if name != "_esm"}
        page.evaluate(FRONT_END, {"script": explorer._esm, "state": state})
        self._comm.rest()

    @property
    def frame(self) -> FrameLocator:
        return self.page.frame_locator("#cell iframe")

    def hear(self) -> None:
        """Pass on what Python has sent."""
        self.page.evaluate("(messages) => window.hear(messages)", self._comm.rest())

    def _python(self, data: dict[str, Any]) -> list[dict[str, Any]]:
        """What the widget in Python sends upon a message from the page."""
        self.explorer._handle_msg({"content": {"data": {"buffer_paths": [], **data}}, "buffers": []})
        if data["method"] != "custom":
            return self._comm.rest()
        messages = []
        while not any(message["data"]["method"] == "custom" for message in messages):
            messages.append(self._comm.sent.get(timeout=WAITED_S))
        return messages
