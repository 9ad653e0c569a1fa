"""The `browser` adapter: pages, tabs, cookies, storage, downloads and requests of a Chromium-family browser."""

from exactchange_adapters.browser.kind import BrowserKind

KIND = BrowserKind()

__all__ = ["KIND", "BrowserKind"]
