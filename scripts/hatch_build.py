"""Puts the shipped tasks and the documentation into the wheel, as data of packages; never into an editable install."""

from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Shipped(BuildHookInterface[BuilderConfig]):
    """A plain force-include would also copy them into editable installs, where they would grow stale."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put `tasks/` of the source tree beside the fixtures in a standard wheel, and `docs/` beside the judge."""
        if version == "standard":
            build_data["force_include"]["tasks"] = "exactchange_fixtures/tasks"
            build_data["force_include"]["docs"] = "exactchange/docs"
