"""A Terraform provider made of a real one's schema: it checks, plans, and makes things up."""

import copy
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local.terraform_plugin import UNKNOWN, Diagnosis, State

SCHEMAS = Path(__file__).parent / "schemas"
"""One file for each provider, see `local.provider_schemas`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a type of resource is like, as far as its schema does not say."""

    identity: str = ""
    """The id's template, of its attributes."""
    renewed_by: tuple[str, ...] = ()
    """Attributes whose change asks for a new resource."""
    patterns: Mapping[str, str] = field(default_factory=dict)
    """What attributes look like."""
    one_of: tuple[tuple[str, ...], ...] = ()
    """Groups of attributes, of each of which exactly one is given."""
    together: tuple[tuple[str, ...], ...] = ()
    """Groups of attributes that are given all or none."""
    sensitive: frozenset[str] = frozenset()
    delay: float = 0
    """Seconds it takes to make, so that who does not wait for it is found out every time."""
    settle: "Callable[[State, SchemaProvider], None] | None" = None
    """Works out what the cloud works out."""
    check: "Callable[[State, SchemaProvider], None] | None" = None
    """Raises `Diagnosis` where the cloud would refuse to make it, or to change it so."""
    check_deletion: "Callable[[State, SchemaProvider], None] | None" = None
    kept: Callable[[State], bool] = lambda state: False
    """Says whether the thing stays although Terraform gives it up."""


_PLAIN = Kind()


class SchemaProvider:
    """One provider, and what was made with it.

    What only a cloud knows is made up, but always the same.
    """

    def __init__(
        self,
        name: str,
        kinds: Mapping[str, Kind],
        *,
        look_ups: "Mapping[str, Callable[[State, SchemaProvider], None]] | None" = None,
    ) -> None:
        """Take what the schema does not tell.

        Args:
            name: The schema's, such as google.
            kinds: What its types of resources are like.
            look_ups: What its data sources find, by type.
        """
        self.source = f"hashicorp/{name}"
        document = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
        self._schemas: dict[str, Any] = document["provider_schemas"][self.source]
        self.kinds = kinds
        self._look_ups = look_ups or {}
        self._lock = threading.Lock()
        self.config: State = {}
        self.made: dict[tuple[str, str], State] = {}
        """What there is now, by type and id; with the secrets that no state has."""
        self.history: list[tuple[str, str, State]] = []
        """What was done: create, update or delete, the type, and what came of it."""
        for kind, how in kinds.items():
            for attribute in how.sensitive:
                self._block("resource_schemas", kind)["attributes"][attribute]["sensitive"] = True

    def of(self, kind: str) -> list[State]:
        """Return everything of a type that there is now."""
        return [state for (made, _), state in self.made.items() if made == kind]

    def past(self, done: str, kind: str) -> list[State]:
        """Return everything of a type that was ever created, updated or deleted."""
        return [state for how, which, state in self.history if (how, which) == (done, kind)]

    def take_over(self, other: "SchemaProvider") -> None:
        """Have what another has made, as if it were one's own."""
        self.made = copy.deepcopy(other.made)
        self.history = copy.deepcopy(other.history)

    # What Terraform asks.

    def schemas(self) -> Mapping[str, Any]:
        """Return the real provider's schemas."""
        return self._schemas

    def configure(self, config: State) -> None:
        """Take a configuration; of several, under aliases, each adds what the others leave open."""
        self.config |= {name: value for name, value in config.items() if value}

    def validate(self, section: str, kind: str, config: State) -> list[Diagnosis]:
        """Return what the real provider would find wrong with a configuration."""
        how = self.kinds.get(kind, _PLAIN) if section == "resource_schemas" else _PLAIN
        return [*_values(self._block(section, kind), config, ()), *_combinations(how, config)]

    def read(self, kind: str, state: State) -> State | None:
        """Return what there is now."""
        made = self.made.get((kind, state.get("id", "")))
        return made and self._shown(kind, made)

    def plan(
        self, kind: str, prior: State | None, proposed: State, config: State
    ) -> tuple[State, list[str]]:
        """Fill in defaults, leave open what the cloud will say, and say what asks for a new one."""
        block = self._block("resource_schemas", kind)
        planned = _planned(block, proposed, new=prior is None)
        renewing = [
            attribute
            for attribute in self.kinds.get(kind, _PLAIN).renewed_by
            if prior and prior.get(attribute) != planned.get(attribute)
        ]
        if renewing:
            for name, attribute in block["attributes"].items():
                if attribute.get("computed") and config.get(name) is None:
                    planned[name] = UNKNOWN
        return planned, renewing

    def apply(
        self, kind: str, prior: State | None, planned: State | None, config: State | None
    ) -> State | None:
        """Make, change or delete something."""
        how = self.kinds.get(kind, _PLAIN)
        if prior is None:
            time.sleep(how.delay)
        with self._lock:
            if planned is None:
                self._delete(kind, how, prior or {})
                return None
            state = self._settled(self._block("resource_schemas", kind), planned, outermost=True)
            if how.check:
                how.check(state, self)
            if how.settle:
                how.settle(state, self)
            if prior is None:
                state["id"] = how.identity.format(**state) or f"{kind}/{len(self.history)}"
                if (kind, state["id"]) in self.made:
                    raise Diagnosis(f"Error 409: {state['id']} already exists (ALREADY_EXISTS)")
            secrets = {
                name: value for name, value in (config or {}).items() if self._hidden(kind, name)
            }
            self.made[kind, state["id"]] = {**state, **secrets}
            self.history.append(("update" if prior else "create", kind, state))
            return state

    def look_up(self, kind: str, config: State) -> State:
        """Return what a data source finds."""
        block = self._block("data_source_schemas", kind)
        state = self._settled(block, _planned(block, config, new=True), outermost=True)
        if kind in self._look_ups:
            self._look_ups[kind](state, self)
        return state

    def find(self, kind: str, identity: str) -> State | None:
        """Return what has an id."""
        made = self.made.get((kind, identity))
        return made and self._shown(kind, made)

    # Within.

    def _block(self, section: str, kind: str) -> dict[str, Any]:
        block: dict[str, Any] = self._schemas[section][kind]["block"]
        return block

    def _hidden(self, kind: str, attribute: str) -> bool:
        attributes = self._block("resource_schemas", kind)["attributes"]
        return bool(attributes.get(attribute, {}).get("write_only"))

    def _shown(self, kind: str, made: State) -> State:
        return {name: None if self._hidden(kind, name) else value for name, value in made.items()}

    def _delete(self, kind: str, how: Kind, prior: State) -> None:
        if how.check_deletion:
            how.check_deletion(prior, self)
        if not how.kept(prior):
            self.made.pop((kind, prior["id"]), None)
        self.history.append(("delete", kind, prior))

    def _settled(self, block: Mapping[str, Any], state: State, *, outermost: bool) -> State:
        """Make up what is still open."""
        for name, attribute in block.get("attributes", {}).items():
            if state.get(name) is UNKNOWN:
                state[name] = self._made_up(name, attribute["type"], outermost=outermost)
        for nested, part in _parts(block, state):
            self._settled(nested["block"], part, outermost=False)
        return state

    def _made_up(self, name: str, kind: Any, *, outermost: bool) -> Any:
        if name == "project":
            return self.config.get("project")
        if outermost and name in {"location", "region"}:
            return self.config.get("region")
        plain = kind if isinstance(kind, str) else kind[0]
        return {"string": f"some-{name}", "number": 0, "bool": False, "map": {}}.get(plain, [])


def _parts(block: Mapping[str, Any], state: State) -> Iterator[tuple[Mapping[str, Any], State]]:
    """Return the nested blocks of a state, each with its schema."""
    for name, nested in block.get("block_types", {}).items():
        value = state.get(name)
        if value is None or value is UNKNOWN:
            continue
        for part in [value] if isinstance(value, dict) else value:
            if part is not UNKNOWN:
                yield nested, part


def _planned(block: Mapping[str, Any], state: State, *, new: bool) -> State:
    for name, attribute in block.get("attributes", {}).items():
        if attribute.get("write_only"):
            state[name] = None  # Terraform refuses a plan that repeats a secret.
        elif state.get(name) is None:
            state[name] = _default(attribute)
            if state[name] is None and attribute.get("computed") and new:
                state[name] = UNKNOWN
    for nested, part in _parts(block, state):
        _planned(nested["block"], part, new=new)
    return state


def _default(attribute: Mapping[str, Any]) -> Any:
    """Return the default that an attribute's description tells."""
    told = re.search(r'Default value: ("[^"]*"|[\w.]+)', attribute.get("description", ""))
    if not told or attribute.get("required"):
        return None
    text = told[1].strip('"')
    if attribute["type"] == "bool":
        return text == "true"
    return float(text) if attribute["type"] == "number" else text


def _values(block: Mapping[str, Any], config: State, path: tuple[Any, ...]) -> Iterator[Diagnosis]:
    """Return which values no attribute can have."""
    for name, attribute in block.get("attributes", {}).items():
        value = config.get(name)
        if value is None:
            continue
        if attribute.get("computed") and not attribute.get("optional"):
            yield Diagnosis("Value for unconfigurable attribute", name, (*path, name))
        told = re.search(r"Possible values: (\[.*?\])", attribute.get("description", ""), re.S)
        if told and isinstance(value, str) and value not in json.loads(told[1]):
            yield Diagnosis(
                f"expected {name} to be one of {told[1]}, got {value}", path=(*path, name)
            )
    for name, nested in block.get("block_types", {}).items():
        for number, (_, part) in enumerate(_parts({"block_types": {name: nested}}, config)):
            step = (name, number) if nested["nesting_mode"] == "list" else (name,)
            yield from _values(nested["block"], part, (*path, *step))


def _combinations(how: Kind, config: State) -> Iterator[Diagnosis]:
    """Return what does not look or go together as it must."""

    def given(group: tuple[str, ...]) -> int:
        return sum(config.get(name) not in (None, []) for name in group)

    for name, pattern in how.patterns.items():
        value = config.get(name)
        if isinstance(value, str) and not re.fullmatch(pattern, value):
            yield Diagnosis(f'"{name}" ("{value}") doesn\'t match regexp "{pattern}"', path=[name])
    for group in how.one_of:
        if given(group) != 1:
            wrong = f"exactly one of `{','.join(group)}` must be specified"
            yield Diagnosis("Invalid combination of arguments", wrong)
    for group in how.together:
        if 0 < given(group) < len(group):
            wrong = f"all of `{','.join(group)}` must be specified"
            yield Diagnosis("Missing required argument", wrong)
