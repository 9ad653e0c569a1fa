"""Puts the shipped tasks into the wheel, as data of the fixtures package; never into an editable install."""

from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ShippedTasks(BuildHookInterface[BuilderConfig]):
    """A plain force-include would also copy the tasks into editable installs, where they would grow stale."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Map `tasks/` of the source tree to `exactchange_fixtures/tasks/` of a standard wheel."""
        if version == "standard":
            build_data["force_include"]["tasks"] = "exactchange_fixtures/tasks"
