"""What the lobby needs of the application beside a place on the screen."""

from typing import Protocol

from client_cli.settings import Settings, Value


class Preferences(Protocol):
    """Where the settings are read and changed, and what is shown of them over the lobby."""

    settings: Settings

    def change_setting(self, key: str, value: Value | None) -> Settings:
        """Save one, and let it count. Raises `CommandFailed`."""

    def action_settings(self) -> None:
        """Show them all."""

    def action_rules(self) -> None:
        """Show the rules."""
