"""The reference of a profile's keys, as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from targets.profile_keys import profile_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from targets.profile_keys import ProfileKey, ProfileTable

__all__ = ["profile_page"]

_HEAD: Final = """\
# Keys of a profile

Made of the code that reads profiles; `rpcrdma explain profile` prints the same. A key that is not
listed is an error, and so is a value of another type: the message names file, key and remedy.
"""


def profile_page() -> str:
    """A table of keys for each table of a profile."""
    return "\n".join([_HEAD, *("\n".join(_lines(table)) + "\n" for table in profile_tables())])


def _lines(table: ProfileTable) -> Iterator[str]:
    yield f"## {f'[{table.name}]' if table.name else 'Top of the file'}"
    yield from ("", table.meaning, "")
    yield from ("| key | value | default | meaning |", "|---|---|---|---|")
    for key in table.keys:
        default = (
            "none: required" if key.required else f"`{key.default}`" if key.default else "none"
        )
        yield f"| `{key.name}` | {_cell(key.kind)} | {default} | {_cell(_meaning(key))} |"


def _default(key: ProfileKey) -> str:
    if key.required:
        return "none: required"
    return f"`{key.default}`" if key.default else "none"


def _meaning(key: ProfileKey) -> str:
    return " ".join([key.meaning, *(f"`{word}`: {what}" for word, what in key.choices)])


def _cell(words: str) -> str:
    return words.replace("|", "\\|")
