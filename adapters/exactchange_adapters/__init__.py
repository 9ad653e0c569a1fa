"""The adapters that ship: browser, file, tree and sqlite sources."""
