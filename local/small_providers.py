"""The archive, random and time providers, which need no cloud: what they make is real."""

import hashlib
import re
import secrets
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

from local.provider import Kind, SchemaProvider
from local.terraform_plugin import Diagnosis, State

_MOMENT = (2049, 1, 1, 0, 0, 0)
"""When everything in a zip is from, so that equal sources are equal zips."""


def archive(folder: Path) -> SchemaProvider:
    """Return the provider that writes zips, from and to where Terraform is."""

    def look_up(state: State, provider: SchemaProvider) -> None:
        _zip(state, folder)

    return SchemaProvider("archive", {}, look_ups={"archive_file": look_up})


def random() -> SchemaProvider:
    """Return the provider of what is drawn once and kept in the state."""
    drawn = ("length", "lower", "upper", "numeric", "special", "override_special", "keepers")
    return SchemaProvider(
        "random",
        {
            "random_id": Kind(identity="{hex}", renewed_by=("byte_length",), settle=_draw_id),
            "random_password": Kind(
                renewed_by=drawn,
                sensitive=frozenset({"bcrypt_hash", "result"}),
                settle=_draw_password,
            ),
        },
    )


def time() -> SchemaProvider:
    """Return the provider of pauses, without the pauses."""
    return SchemaProvider("time", {"time_sleep": Kind(renewed_by=("triggers",))})


def _draw_id(state: State, provider: SchemaProvider) -> None:
    state["hex"] = secrets.token_hex(int(state["byte_length"]))


def _draw_password(state: State, provider: SchemaProvider) -> None:
    letters = state["override_special"] or "!@#$%&*()-_=+[]{}<>:?"
    state["result"] = "".join(secrets.choice(letters) for _ in range(int(state["length"])))


def _zip(state: State, here: Path) -> None:
    """Write the zip of a folder, but for what is excluded."""
    folder, output = here / state["source_dir"], here / state["output_path"]
    excluded = re.compile("|".join(map(_pattern, state["excludes"])))
    output.parent.mkdir(parents=True, exist_ok=True)
    kept = list(_kept(folder, folder, excluded))
    if not kept:
        raise Diagnosis("archive has not been created as it would be empty")
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as made:
        for path in kept:
            member = zipfile.ZipInfo(str(path.relative_to(folder)), _MOMENT)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (stat.S_IFREG | int(state["output_file_mode"], 8)) << 16
            made.writestr(member, path.read_bytes())
    content = output.read_bytes()
    state["output_size"] = len(content)
    state["output_md5"] = hashlib.md5(content).hexdigest()
    state["output_sha256"] = hashlib.sha256(content).hexdigest()


def _kept(folder: Path, path: Path, excluded: re.Pattern[str]) -> Iterator[Path]:
    """Return the files at a path in order. A folder that is excluded is not looked into.

    The folder that is zipped is asked about like any other: it is ".".
    """
    if excluded.fullmatch(str(path.relative_to(folder))):
        return
    if not path.is_dir():
        yield path
        return
    for inner in sorted(path.iterdir()):
        yield from _kept(folder, inner, excluded)


def _pattern(glob: str) -> str:
    """Return a glob as the provider reads it: ** is any number of folders, * stays within one."""
    pieces = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        pieces.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    )
