"""A folder at its place is whole, and two builds at once leave one of the two."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from onthedot.local import whole_folders

FILES = 50


def built(parent: Path, content: str) -> Path:
    folder = whole_folders.begun(parent)
    for number in range(FILES):
        (folder / str(number)).write_text(content)
    return folder


def test_the_new_one_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    place = tmp_path / "place"
    for content in ("old", "new"):
        whole_folders.put(built(tmp_path, content), place)

    assert {each.read_text() for each in place.iterdir()} == {"new"}
    assert [each.name for each in tmp_path.iterdir()] == ["place"]


def test_builds_at_once_leave_one_of_them_and_never_a_mixture(tmp_path: Path) -> None:
    place = tmp_path / "place"
    folders = [built(tmp_path, str(number)) for number in range(8)]
    threads = [threading.Thread(target=whole_folders.put, args=(each, place)) for each in folders]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert len({each.read_text() for each in place.iterdir()}) == 1
    assert len(list(place.iterdir())) == FILES
    assert [each.name for each in tmp_path.iterdir()] == ["place"]


def test_what_is_in_use_stays_where_it_is(tmp_path: Path) -> None:
    place = tmp_path / "place"

    first = whole_folders.moved(built(tmp_path, "first"), place)
    second = whole_folders.moved(built(tmp_path, "second"), place)

    assert (first, second) == (True, False)
    assert {each.read_text() for each in place.iterdir()} == {"first"}


def test_what_killed_builds_left_is_removed_and_what_is_under_way_is_not(tmp_path: Path) -> None:
    left, under_way = built(tmp_path, "left"), built(tmp_path, "under way")
    os.utime(left, (0, 0))

    whole_folders.begun(tmp_path)

    assert not left.exists()
    assert under_way.exists()


def test_a_file_at_the_place_is_not_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.write_text("mine")

    with pytest.raises(NotADirectoryError):
        whole_folders.put(built(tmp_path, "new"), place)

    assert place.read_text() == "mine"
