"""The command line: `exactchange`, one command a module, loaded when it is asked for."""

from exactchange.cli.main import main

__all__ = ["main"]
