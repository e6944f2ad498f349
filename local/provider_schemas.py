"""Schemas of Terraform providers, without Terraform having downloaded one.

The packages that CDK Terrain publishes are generated from the real providers' schemas, and carry
them as JavaScript. This reads its text and executes nothing; `local/schemas/` has the result for
the types that terraform/ uses:

    pip download --no-deps -d wheels cdktn-provider-google==21.1.0 cdktn-provider-archive==14.0.1 \
        cdktn-provider-random==15.0.1 cdktn-provider-time==14.0.2
    python -m local.provider_schemas wheels

Not in them: what is sensitive, what asks for a new resource, which arguments exclude each other.
"""

import io
import json
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from local.provider import SCHEMAS

TERRAFORM = Path(__file__).parent.parent / "terraform"

Block = dict[str, Any]
"""A block's schema, as `terraform providers schema -json` has it."""
Flags = tuple[str, str, str]
"""Of an argument: whether it is a block, the kind of its value, and what the value is kept as."""

_CLASS = re.compile(r"^class (\w+) extends cdkt[nf]\.(\w+) \{", re.M)
_ROOTS = {
    "TerraformResource": "resource_schemas",
    "TerraformDataSource": "data_source_schemas",
    "TerraformProvider": "provider",
}
_WRITTEN = re.compile(r"^function (\w+)ToHclTerraform\(struct\) \{(.*?)\n\}\n", re.M | re.S)
_ARGUMENT = re.compile(
    r"(\w+): \{\s+value: .*?,\s+isBlock: (true|false),\s+"
    r'type: "(\w+)",\s+storageClassType: "(\w+)"',
    re.S,
)
_ATTRIBUTE = re.compile(r"^    // (\w+) - computed: (\w+), optional: (\w+), required: (\w+)$", re.M)
_INTERFACE = re.compile(r"^export interface (\w+)(?: extends [\w.]+)? \{\n(.*?)^\}", re.M | re.S)
_FIELD = re.compile(r"/\*\*(.*?)\*/\s+readonly \w+\??:", re.S)
_TOLD = re.compile(r'Default value: (?:"[^"]*"|[\w.]+)|Possible values: \[.*?\]', re.S)
"""What is kept of a description: what the stand-in for the provider goes by."""

_KEPT_AS = {"string": "string", "number": "number", "boolean": "bool", "any": "dynamic"}
_GOT_AS: Mapping[str, Any] = {
    "String": "string",
    "Number": "number",
    "Boolean": "bool",
    "List": ["list", "string"],
    "NumberList": ["list", "number"],
    "StringMap": ["map", "string"],
    "BooleanMap": ["map", "bool"],
    "NumberMap": ["map", "number"],
}


class Module:
    """One resource, data source or provider, as the package describes it."""

    def __init__(self, script: str, declarations: str) -> None:
        """Take the text of its index.js and of its index.d.ts."""
        script = script.partition("//# sourceMappingURL")[0]
        starts = list(_CLASS.finditer(script))
        ends = [start.start() for start in starts[1:]] + [len(script)]
        self._classes = {
            start[1]: (start[2], script[start.start() : end])
            for start, end in zip(starts, ends, strict=True)
        }
        self._written = {name.lower(): body for name, body in _WRITTEN.findall(script)}
        self._told = {name: _descriptions(body) for name, body in _INTERFACE.findall(declarations)}
        self._root = next(name for name, (base, _) in self._classes.items() if base in _ROOTS)

    @property
    def section(self) -> str:
        """Where in a provider's schemas it belongs."""
        return _ROOTS[self._classes[self._root][0]]

    @property
    def name(self) -> str:
        """Its type, such as google_cloud_tasks_queue; empty if it is the provider."""
        named = re.search(r'tfResourceType = "(\w+)"', self._classes[self._root][1])
        return named[1] if named and self.section != "provider" else ""

    def schema(self) -> Block:
        """Return its schema."""
        return self._block(self._root)

    def _block(self, class_name: str) -> Block:
        block: Block = {"attributes": {}, "block_types": {}}
        body = self._classes[class_name][1]
        stem = class_name.removesuffix("OutputReference")
        arguments = self._arguments(stem, body)
        told = self._told.get(stem, {}) | self._told.get(f"{stem}Config", {})
        for name, flags, code in _attributes(body):
            nested = self._nested(name, code)
            argument = arguments.get(name)
            description = told.get(name, "")
            if nested and argument and _is_block(name, argument, description):
                block["block_types"][name] = self._nested_block(nested, argument, flags)
            elif argument and not nested and _simple(argument) is None:
                block["block_types"][name] = self._option_block(argument)
            else:
                kind = self._kind(name, nested, argument, code)
                block["attributes"][name] = _attribute(kind, description, flags, code)
        return {section: content for section, content in block.items() if content}

    def _arguments(self, stem: str, body: str) -> dict[str, Flags]:
        """Return what can be written in a block, by name."""
        if "synthesizeHclAttributes" in body:
            text = body.split("synthesizeHclAttributes")[1]
        else:
            text = self._written.get(stem.lower(), "")
        return {name: (block, kind, kept) for name, block, kind, kept in _ARGUMENT.findall(text)}

    def _nested(self, name: str, code: str) -> "re.Match[str] | None":
        """Return which class stands behind an attribute, and in what number, if one does."""
        made = r'new (\w+?)(OutputReference|List)\(this, "{}"(?:, (true|false))?\)'
        found = re.search(made.format(name), code)
        return found if found and f"{found[1]}OutputReference" in self._classes else None

    def _nested_block(
        self, nested: "re.Match[str]", argument: Flags, flags: Mapping[str, bool]
    ) -> Block:
        mode = {"struct": "single"}.get(argument[1], argument[1])
        block: Block = {
            "nesting_mode": mode,
            "block": self._block(f"{nested[1]}OutputReference"),
        }
        if mode != "single" and flags["required"]:
            block["min_items"] = 1
        if mode != "single" and nested[2] == "OutputReference":
            block["max_items"] = 1
        return block

    def _option_block(self, argument: Flags) -> Block:
        """Return a block of the provider's own, which has no class but only an interface."""
        stem = argument[2].removesuffix("List")
        told = self._told.get(stem, {})
        attributes = {
            name: _attribute(_simple(one), told.get(name, ""), {"optional": True}, "")
            for name, one in self._arguments(stem, "").items()
        }
        return {"nesting_mode": "list", "max_items": 1, "block": {"attributes": attributes}}

    def _kind(
        self, name: str, nested: "re.Match[str] | None", argument: Flags | None, code: str
    ) -> Any:
        if nested:
            attributes = self._block(f"{nested[1]}OutputReference").get("attributes", {})
            of = {part: attribute["type"] for part, attribute in attributes.items()}
            is_set = (argument and argument[1] == "set") or nested[3] == "true"
            return ["set" if is_set else "list", ["object", of]]
        if argument:
            return _simple(argument)
        got = re.search(rf"get(\w+)Attribute\('{name}", code)
        if not got:
            made = re.search(r"new cdkt[nf]\.(\w+)\(", code)
            return _GOT_AS.get(made[1] if made else "", ["map", "string"])
        kind = _GOT_AS[got[1]]
        return ["set", kind[1]] if "Fn.tolist" in code and kind[0] == "list" else kind


def _descriptions(body: str) -> dict[str, str]:
    found = {}
    for comment in _FIELD.findall(body):
        text, _, docs = comment.partition("Docs at Terraform Registry")
        linked = re.search(r"#(\w+) [\w.]+#\w+\}", docs)
        if linked:
            found[linked[1]] = re.sub(r"\n? *\* ?", "\n", text).strip()
    return found


def _attributes(body: str) -> Iterator[tuple[str, dict[str, bool], str]]:
    """Return a class's attributes: name, what can be done with each, and the code behind it."""
    marks = list(_ATTRIBUTE.finditer(body))
    ends = [*(mark.start() for mark in marks), len(body)][1:]
    for mark, end in zip(marks, ends, strict=True):
        said = dict(zip(("computed", "optional", "required"), mark.groups()[1:], strict=True))
        yield mark[1], {flag: word == "true" for flag, word in said.items()}, body[mark.end() : end]


def _is_block(name: str, argument: Flags, description: str) -> bool:
    return description == f"{name} block" or argument[1] == "struct"


def _simple(argument: Flags) -> Any:
    """Return the type of an argument that is no block; None if it is one."""
    _, kind, kept = argument
    if kind == "simple":
        return _KEPT_AS[kept]
    found = re.fullmatch(r"(string|number|boolean|any)(List|Map)", kept)
    return [kind, _KEPT_AS[found[1]]] if found else None


def _attribute(kind: Any, description: str, flags: Mapping[str, bool], code: str) -> Block:
    attribute = {"type": kind}
    if told := " ".join(_TOLD.findall(description)):
        attribute["description"] = told
    for flag in ("required", "optional", "computed"):
        if flags.get(flag):
            attribute[flag] = True
    if "Write-only" in code:
        attribute["write_only"] = True
    return attribute


def used(folder: Path) -> set[str]:
    """Return the types a configuration uses; data sources with "data." before them."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.tf")))
    found = re.findall(r'^(resource|data) "(\w+)"', text, re.M)
    return {name if section == "resource" else f"data.{name}" for section, name in found}


def read(wheel: Path, wanted: set[str]) -> Block:
    """Return a provider's schemas from its package: the provider's own, and those wanted."""
    provider = re.search(r"cdktn_provider_(\w+?)-\d", wheel.name)
    if not provider:
        raise ValueError(f"{wheel.name} is no package of a provider")
    with zipfile.ZipFile(wheel) as opened:
        files = {name.rpartition(".")[2]: name for name in opened.namelist()}
        bundle = opened.read(files["tgz"])
        described = opened.read(files["dist-info/METADATA"]).decode()
    version = re.search(r"provider version ([\d.]+)", described)
    names = {name.removeprefix("data.") for name in wanted} | {provider[1]}
    schemas: Block = {"resource_schemas": {}, "data_source_schemas": {}}
    for module in _modules(bundle, names):
        if module.section == "provider":
            schemas["provider"] = {"version": 0, "block": _of_provider(module.schema())}
            continue
        prefix = "data." if module.section == "data_source_schemas" else ""
        if prefix + module.name in wanted:
            schemas[module.section][module.name] = {"version": 0, "block": module.schema()}
    notice = (
        f"Derived from {wheel.name} (MPL-2.0), itself generated from the schema of "
        f"terraform-provider-{provider[1]} {version and version[1]} (MPL-2.0)."
    )
    return {
        "notice": notice,
        "format_version": "1.0",
        "provider_schemas": {f"hashicorp/{provider[1]}": schemas},
    }


def _of_provider(block: Block) -> Block:
    """Leave out what Terraform itself takes, and the addresses of two hundred services."""
    attributes = {
        name: attribute
        for name, attribute in block.get("attributes", {}).items()
        if name != "alias" and not name.endswith("_custom_endpoint")
    }
    return {**block, "attributes": attributes}


def _modules(bundle: bytes, wanted: set[str]) -> Iterator[Module]:
    """Return the modules of the types that are wanted: resources and data sources of that name."""
    files: dict[str, dict[str, str]] = {}
    with tarfile.open(fileobj=io.BytesIO(bundle)) as opened:
        for member in opened:
            parts = Path(member.name).parts
            if parts[1:2] == ("lib",) and parts[-1] in {"index.js", "index.d.ts"}:
                content = opened.extractfile(member)
                text = content.read().decode() if content else ""
                files.setdefault("/".join(parts[2:-1]), {})[parts[-1]] = text
    for _, texts in sorted(files.items()):
        named = re.search(r'tfResourceType = "(\w+)"', texts.get("index.js", ""))
        if named and named[1] in wanted and "TerraformEphemeralResource {" not in texts["index.js"]:
            yield Module(texts["index.js"], texts["index.d.ts"])


def main(folder: Path) -> None:
    """Write the schemas of all the packages in a folder."""
    for wheel in sorted(folder.glob("cdktn_provider_*.whl")):
        schemas = read(wheel, used(TERRAFORM))
        (name,) = schemas["provider_schemas"]
        target = SCHEMAS / f"{name.rpartition('/')[2]}.json"
        text = json.dumps(schemas, sort_keys=True, separators=(",", ":"))
        target.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
