"""Schemas: what Gemini is told of the form it has to fill in."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

Node = Mapping[str, Any]
"""A JSON schema, or a part of one."""


def schema(form: type[BaseModel]) -> dict[str, Any]:
    """Return a form as Gemini takes it: types, choices, and what the fields' descriptions say.

    The SDK's own converters lose the description of whatever may be null or is a form itself, and
    send on titles, defaults, formats and bounds. Gemini refuses formats such as `date`
    (python-genai#237), and bounds where they add up to too much (python-genai#2170). So the bounds
    stay here, where pydantic checks what comes back; a description may tell the model of them.

    Args:
        form: Its fields are text, numbers, choices (`Literal`, of text), dates, lists, forms, and
            any of them or None.

    Raises:
        LookupError: A field is something else.
    """
    node = form.model_json_schema()
    return _converted(_without_docstring(node), node.get("$defs", {}))


def _converted(node: Node, forms: Mapping[str, Node]) -> dict[str, Any]:
    described = {"description": node["description"]} if "description" in node else {}
    if "$ref" in node:
        form = forms[node["$ref"].removeprefix("#/$defs/")]
        return _converted({**_without_docstring(form), **described}, forms)
    if "anyOf" in node:
        return _either(node["anyOf"], described, forms)
    converted = {"type": node["type"].upper(), **described}
    if "const" in node:
        converted["enum"] = [node["const"]]
    if "enum" in node:
        converted["enum"] = list(node["enum"])
    if node["type"] == "array":
        converted["items"] = _converted(node["items"], forms)
    if node["type"] == "object":
        fields = node["properties"].items()
        converted["properties"] = {name: _converted(field, forms) for name, field in fields}
    if "required" in node:
        converted["required"] = list(node["required"])
    return converted


def _either(options: list[Node], described: Node, forms: Mapping[str, Node]) -> dict[str, Any]:
    known = [option for option in options if option != {"type": "null"}]
    nullable = {"nullable": True} if len(known) < len(options) else {}
    if len(known) == 1:
        return {**_converted({**known[0], **described}, forms), **nullable}
    return {"anyOf": [_converted(option, forms) for option in known], **described, **nullable}


def _without_docstring(form: Node) -> Node:
    # It is for those who read the code.
    return {key: value for key, value in form.items() if key != "description"}
