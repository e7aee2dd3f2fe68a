"""Take a picture of the running application: `python tools/screenshot.py docs/explorer.png`.

Starts the real server on a free port, opens its first page in Chromium, waits until it says that it is drawn.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description="Take a picture of the running application.")
    parser.add_argument("target", type=Path)
    parser.add_argument("--path", default="/", help="the page, with its state, such as /?layer=5&head=11")
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--height", type=int, default=1000)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--language", default="en")
    options = parser.parse_args()
    environment = os.environ | {"HOST": "127.0.0.1", "PORT": "0", "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "server"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as server:
        announcement = server.stdout.readline() if server.stdout else ""
        if not announcement:
            sys.exit(server.wait() or 1)
        try:
            take(announcement.split()[-1], options)
        finally:
            server.terminate()


def take(address: str, options: argparse.Namespace) -> None:
    """Open the page and save what it looks like once it is drawn."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
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
        browser.close()


if __name__ == "__main__":
    main()
