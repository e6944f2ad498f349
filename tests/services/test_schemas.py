"""Gemini is told of a form in the few words that it takes from everybody."""

from datetime import date
from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from services.schemas import schema


class Colour(Enum):
    """What something looks like."""

    RED = "red"
    BLUE = "blue"


class Item(BaseModel):
    """One thing among several."""

    name: str = Field(description="What it is called", max_length=20)


def described(annotation: Any, **field: Any) -> dict[str, Any]:
    """Return what Gemini is told of a form's only field."""
    form = type("Form", (BaseModel,), {"__annotations__": {"x": annotation}, "x": Field(**field)})
    told = schema(form)
    assert {"type", "properties"} <= set(told) <= {"type", "properties", "required"}
    properties: dict[str, dict[str, Any]] = told["properties"]
    return properties["x"]


ITEM = {
    "type": "OBJECT",
    "properties": {"name": {"type": "STRING", "description": "What it is called"}},
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, {"type": "STRING"}),
        (int, {"type": "INTEGER"}),
        (float, {"type": "NUMBER"}),
        (bool, {"type": "BOOLEAN"}),
        (date, {"type": "STRING"}),
        (Literal["a", "b"], {"type": "STRING", "enum": ["a", "b"]}),
        (Literal["a"], {"type": "STRING", "enum": ["a"]}),
        (Colour, {"type": "STRING", "enum": ["red", "blue"]}),
        (list[int], {"type": "ARRAY", "items": {"type": "INTEGER"}}),
        (list[Literal["a"]], {"type": "ARRAY", "items": {"type": "STRING", "enum": ["a"]}}),
        (list[Item], {"type": "ARRAY", "items": ITEM}),
        (Item, ITEM),
        (str | None, {"type": "STRING", "nullable": True}),
        (Item | None, {**ITEM, "nullable": True}),
        (int | str, {"anyOf": [{"type": "INTEGER"}, {"type": "STRING"}]}),
        (int | str | None, {"anyOf": [{"type": "INTEGER"}, {"type": "STRING"}], "nullable": True}),
    ],
    ids=str,
)
def test_a_field_has_its_type_and_its_description(
    annotation: Any, expected: dict[str, Any]
) -> None:
    """
    Whatever a field is, Gemini is told so in its own words, and what the field says of itself.
    """
    assert expected == described(annotation)
    assert {**expected, "description": "說明"} == described(annotation, description="說明")


@pytest.mark.parametrize(
    ("annotation", "field", "expected"),
    [
        (str, {"default": "x", "title": "X", "max_length": 9, "pattern": "x"}, {"type": "STRING"}),
        (float, {"default": 0.5, "ge": 0, "le": 1}, {"type": "NUMBER"}),
        (int, {"gt": 0, "multiple_of": 2}, {"type": "INTEGER"}),
        (
            list[int],
            {"default": [], "max_length": 5},
            {"type": "ARRAY", "items": {"type": "INTEGER"}},
        ),
    ],
    ids=str,
)
def test_bounds_defaults_and_titles_stay_here(
    annotation: Any, field: dict[str, Any], expected: dict[str, Any]
) -> None:
    """
    What Gemini may refuse, or has no use for, is not sent; pydantic looks after it.
    """
    assert expected == described(annotation, **field)


def test_only_what_has_no_default_is_required() -> None:
    """
    A field that may be left out is not asked for, and one that may be null still is.
    """

    class Form(BaseModel):
        """A docstring, which is nobody's but ours."""

        text: str
        when: str | None
        category: Literal["name", "other"] = "other"

    assert {
        "type": "OBJECT",
        "properties": {
            "text": {"type": "STRING"},
            "when": {"type": "STRING", "nullable": True},
            "category": {"type": "STRING", "enum": ["name", "other"]},
        },
        "required": ["text", "when"],
    } == schema(Form)


@pytest.mark.parametrize("annotation", [Any, dict[str, int], tuple[int, str], Literal["a", 1]])
def test_what_gemini_has_no_word_for_is_an_error_of_ours(annotation: Any) -> None:
    """
    A form that can't be described is found by whoever writes it, not by a family.
    """
    with pytest.raises(LookupError):
        described(annotation)
