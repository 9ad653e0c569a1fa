"""A program that starts a browser headless, opens a page in it and closes it: the only proof that it works."""

import json
import sys

from playwright.sync_api import sync_playwright

from exactchange_adapters.browser.driver import use_driver

QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run")
LIMIT_MS = 30_000


def main(executable: str) -> None:
    """Print `{"version": ...}` of the browser at this path; any failure ends the program with a traceback."""
    use_driver()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=QUIET, timeout=LIMIT_MS)
        page = browser.new_page()
        page.set_content("<title>Exact Change</title>", timeout=LIMIT_MS)
        if page.title() != "Exact Change":
            raise RuntimeError(f"{executable} opened a page and read {page.title()!r} from it")
        sys.stdout.write(json.dumps({"version": browser.version}) + "\n")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
