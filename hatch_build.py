"""Compiles the catalogs of the client's sentences when the program is installed or packed."""

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogs(BuildHookInterface):  # type: ignore[type-arg]
    """Puts a `.mo` beside every `.po`, and both into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - as hatchling calls it
        for catalog in Path(self.root, "client_cli", "locale").glob("*/LC_MESSAGES/*.po"):
            with catalog.open("rb") as source, catalog.with_suffix(".mo").open("wb") as compiled:
                write_mo(compiled, read_po(source))
        build_data["artifacts"].append("client_cli/locale/*/LC_MESSAGES/*.mo")
