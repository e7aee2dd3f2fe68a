"""Take a screenshot of the running application: `python tools/screenshot.py docs/explorer.png`.

Starts the real server on a free port, opens its first page in Chromium and waits until it is rendered.
"""

import argparse
from pathlib import Path

from browsing import browsing, serving


def main() -> None:
    """Write the screenshot."""
    parser = argparse.ArgumentParser(description="Take a picture of the running application.")
    parser.add_argument("target", type=Path)
    parser.add_argument("--path", default="/", help="the page, with its state, such as /?layer=5&head=11")
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--height", type=int, default=1000)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--language", default="en")
    options = parser.parse_args()
    with serving() as server:
        take(server.address, options)


def take(address: str, options: argparse.Namespace) -> None:
    """Open the page and save a screenshot once it is rendered."""
    with browsing() as browser:
        page = browser.new_page(
            viewport={"width": options.width, "height": options.height},
            color_scheme=options.theme,
            locale=options.language,
            device_scale_factor=1,
        )
        page.goto(address + options.path)
        page.wait_for_load_state("networkidle")
        page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
        options.target.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=options.target)


if __name__ == "__main__":
    main()
