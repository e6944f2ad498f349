"""Forms: what the model fills in for a digest."""

from pydantic import BaseModel, Field

from memory.draft import Relation
from memory.facts import Category, Kind


class Told(BaseModel):
    """A sentence of the new summary."""

    text: str
    sources: list[str] = Field(default=[], description="t1, t2 … and s1, s2 … that it tells of")


class Operation(BaseModel):
    """Something lasting that was said, and what it is to the board."""

    relation: Relation
    number: int | None = Field(default=None, description="of the fact on the board")
    text: str
    subject: str = Field(description="who or what it is about")
    kind: Kind = Field(description="what the subject is")
    category: Category
    importance: float = Field(description="0 to 1")
    expires_on: str | None = Field(default=None, description="YYYY-MM-DD")
    speaker: str
    evidence: str = Field(description="the speaker's own words, verbatim")


class Folded(BaseModel):
    """What a digest returns."""

    summary: list[Told]
    operations: list[Operation]


class Verdict(BaseModel):
    """What one new fact is to those that were known."""

    candidate: int
    relation: Relation
    number: int | None = None


class Verdicts(BaseModel):
    """What the judge returns."""

    verdicts: list[Verdict]
