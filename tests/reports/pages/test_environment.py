from __future__ import annotations

from typing import TYPE_CHECKING

from reports.pages.environment import ASSETS, write_assets

if TYPE_CHECKING:
    from pathlib import Path


def test_stylesheet_and_script_go_along_and_ask_nobody(tmp_path: Path) -> None:
    write_assets(tmp_path / "report")
    written = {path.name: path.read_text() for path in (tmp_path / "report").iterdir()}
    assert set(written) == set(ASSETS)
    assert not any("//" in text and "http" in text for text in written.values())
