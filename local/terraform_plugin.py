"""Terraform's plug-in protocol, version 6: its messages and values, served to the real CLI.

Terraform connects to a provider that runs already, if TF_REATTACH_PROVIDERS says where. So a
provider can live in the process of a test, and `init` has nothing to download.
"""

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import grpc
import msgpack  # type: ignore[import-untyped, unused-ignore]
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# Only what is used here: the wire knows numbers, and whoever reads passes over what it has no
# field for. A star is a list; a map is a list of entries.
_MESSAGES = {
    "Empty": "",
    "Value": "msgpack:bytes=1 json:bytes=2",
    "Step": "attribute_name:string=1 element_key_int:int64=3",
    "Path": "steps:*Step=1",
    "Diagnostic": "severity:int32=1 summary:string=2 detail:string=3 attribute:Path=4",
    "Attribute": "name:string=1 type:bytes=2 description:string=3 required:bool=4 optional:bool=5"
    " computed:bool=6 sensitive:bool=7 write_only:bool=11",
    "NestedBlock": "type_name:string=1 block:Block=2 nesting:int32=3 min_items:int64=4"
    " max_items:int64=5",
    "Block": "version:int64=1 attributes:*Attribute=2 block_types:*NestedBlock=3",
    "Schema": "version:int64=1 block:Block=2",
    "SchemaEntry": "key:string=1 value:Schema=2",
    "RawState": "json:bytes=1",
    "Imported": "type_name:string=1 state:Value=2",
    "SchemasAnswer": "provider:Schema=1 resource_schemas:*SchemaEntry=2"
    " data_source_schemas:*SchemaEntry=3",
    "ProviderConfigRequest": "config:Value=1",
    "ConfigureRequest": "terraform_version:string=1 config:Value=2",
    "Diagnosed": "diagnostics:*Diagnostic=1",
    "ProviderConfigAnswer": "diagnostics:*Diagnostic=2",
    "ConfigRequest": "type_name:string=1 config:Value=2",
    "UpgradeRequest": "type_name:string=1 version:int64=2 raw_state:RawState=3",
    "StateAnswer": "state:Value=1 diagnostics:*Diagnostic=2",
    "ReadRequest": "type_name:string=1 current_state:Value=2",
    "PlanRequest": "type_name:string=1 prior_state:Value=2 proposed_new_state:Value=3"
    " config:Value=4",
    "PlanAnswer": "planned_state:Value=1 requires_replace:*Path=2 diagnostics:*Diagnostic=4"
    " legacy_type_system:bool=5",
    "ApplyRequest": "type_name:string=1 prior_state:Value=2 planned_state:Value=3 config:Value=4",
    "ApplyAnswer": "new_state:Value=1 diagnostics:*Diagnostic=3 legacy_type_system:bool=4",
    "ImportRequest": "type_name:string=1 id:string=2",
    "ImportAnswer": "imported_resources:*Imported=1 diagnostics:*Diagnostic=2",
}
# As descriptor.proto numbers them.
_SCALARS = {"string": 9, "bytes": 12, "bool": 8, "int32": 5, "int64": 3}
_MESSAGE = 11
_NESTING = {"single": 1, "list": 2, "set": 3}
_ERROR = 1
_UNKNOWN_EXTENSION = 0


def _messages() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(
        name="terraform_plugin.proto", package="terraform_plugin", syntax="proto3"
    )
    for name, described in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, star, kind, number in re.findall(r"(\w+):(\*?)(\w+)=(\d+)", described):
            added = message.field.add(name=field, number=int(number), label=3 if star else 1)
            if kind in _SCALARS:
                added.type = _SCALARS[kind]  # type: ignore[assignment, unused-ignore]
            else:
                added.type = _MESSAGE  # type: ignore[assignment, unused-ignore]
                added.type_name = f".terraform_plugin.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)  # type: ignore[no-untyped-call, unused-ignore]
    return {
        name: message_factory.GetMessageClass(
            pool.FindMessageTypeByName(f"terraform_plugin.{name}")  # type: ignore[no-untyped-call, unused-ignore]
        )
        for name in _MESSAGES
    }


_TYPES = _messages()

State = dict[str, Any]
"""What a resource is, attribute by attribute."""


class _Unknown:
    def __repr__(self) -> str:
        return "known after apply"


UNKNOWN = _Unknown()
"""Stands in a plan where a value is known only after it was applied."""


class Diagnosis(Exception):
    """What is wrong, as Terraform shows it, and with which attribute."""

    def __init__(self, summary: str, detail: str = "", path: Iterable[str | int] = ()) -> None:
        super().__init__(summary)
        self.summary = summary
        self.detail = detail
        self.path = tuple(path)


class Provider(Protocol):
    """What Terraform asks of a provider; a state that is None is of what there is not."""

    source: str

    def schemas(self) -> Mapping[str, Any]:
        """Return its schemas, in the shape of `terraform providers schema -json`."""

    def configure(self, config: State) -> None:
        """Take the provider's own configuration."""

    def validate(self, section: str, kind: str, config: State) -> list[Diagnosis]:
        """Return what is wrong with a configuration, where UNKNOWN stands for what is open yet."""

    def read(self, kind: str, state: State) -> State | None:
        """Return what a resource is now."""

    def plan(
        self, kind: str, prior: State | None, proposed: State, config: State
    ) -> tuple[State, list[str]]:
        """Return what a resource would become, and which attributes ask for a new one."""

    def apply(
        self, kind: str, prior: State | None, planned: State | None, config: State | None
    ) -> State | None:
        """Make a resource what was planned; raise `Diagnosis` where the cloud refuses."""

    def look_up(self, kind: str, config: State) -> State:
        """Return what a data source finds."""

    def find(self, kind: str, identity: str) -> State | None:
        """Return the resource of an id, for who imports it."""


class Plugin:
    """Serves a provider on a socket, from `with` to its end."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._folder = tempfile.TemporaryDirectory(prefix="terraform-")
        self._socket = Path(self._folder.name) / "provider"
        self._server = grpc.server(ThreadPoolExecutor(8))
        handlers = {name: _handler(call, *kinds) for name, call, *kinds in self._calls()}
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("tfplugin6.Provider", handlers),)
        )
        self._server.add_insecure_port(f"unix://{self._socket}")

    def __enter__(self) -> "Plugin":
        self._server.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.stop(0)
        self._folder.cleanup()

    @property
    def address(self) -> dict[str, Any]:
        """Where it is, for TF_REATTACH_PROVIDERS."""
        place = {"Network": "unix", "String": str(self._socket)}
        return {
            self._provider.source: {
                "Protocol": "grpc",
                "ProtocolVersion": 6,
                "Pid": os.getpid(),
                "Test": True,
                "Addr": place,
            }
        }

    def _calls(self) -> Iterable[tuple[str, Callable[[Any], Any], str]]:
        """Return the protocol's calls: name, what serves it, and what it is asked with."""
        yield "GetProviderSchema", self._schemas, "Empty"
        yield "ValidateProviderConfig", lambda asked: _make("ProviderConfigAnswer"), _CONFIG
        yield "ConfigureProvider", self._configure, "ConfigureRequest"
        yield "ValidateResourceConfig", self._validate("resource_schemas"), "ConfigRequest"
        yield "ValidateDataResourceConfig", self._validate("data_source_schemas"), "ConfigRequest"
        yield "UpgradeResourceState", _upgrade, "UpgradeRequest"
        yield "ReadResource", self._read, "ReadRequest"
        yield "PlanResourceChange", self._plan, "PlanRequest"
        yield "ApplyResourceChange", self._apply, "ApplyRequest"
        yield "ReadDataSource", self._look_up, "ConfigRequest"
        yield "ImportResourceState", self._import, "ImportRequest"
        yield "StopProvider", lambda asked: _make("Empty"), "Empty"
        yield "GetFunctions", lambda asked: _make("Empty"), "Empty"

    def _schemas(self, asked: Any) -> Any:
        known = self._provider.schemas()
        return _make(
            "SchemasAnswer",
            provider=_make("Schema", block=_block(known["provider"]["block"])),
            resource_schemas=_entries(known["resource_schemas"]),
            data_source_schemas=_entries(known["data_source_schemas"]),
        )

    def _configure(self, asked: Any) -> Any:
        self._provider.configure(_read(asked.config) or {})
        return _make("Diagnosed")

    def _validate(self, section: str) -> Callable[[Any], Any]:
        def validate(asked: Any) -> Any:
            found = self._provider.validate(section, asked.type_name, _read(asked.config))
            return _make("Diagnosed", diagnostics=map(_diagnostic, found))

        return validate

    def _read(self, asked: Any) -> Any:
        state = self._provider.read(asked.type_name, _read(asked.current_state))
        return _make("StateAnswer", state=_write(state))

    def _plan(self, asked: Any) -> Any:
        proposed = _read(asked.proposed_new_state)
        replacing: list[str] = []
        if proposed is not None:
            proposed, replacing = self._provider.plan(
                asked.type_name, _read(asked.prior_state), proposed, _read(asked.config)
            )
        return _make(
            "PlanAnswer",
            planned_state=_write(proposed),
            requires_replace=[_path([attribute]) for attribute in replacing],
            # As Google's provider, which is built on the old SDK: defaults may fill what is unset.
            legacy_type_system=True,
        )

    def _apply(self, asked: Any) -> Any:
        prior = _read(asked.prior_state)
        try:
            new = self._provider.apply(
                asked.type_name, prior, _read(asked.planned_state), _read(asked.config)
            )
        except Diagnosis as refusal:
            refused = [_diagnostic(refusal)]
            return _make(
                "ApplyAnswer",
                new_state=_write(prior),
                diagnostics=refused,
                legacy_type_system=True,
            )
        return _make("ApplyAnswer", new_state=_write(new), legacy_type_system=True)

    def _look_up(self, asked: Any) -> Any:
        try:
            found = self._provider.look_up(asked.type_name, _read(asked.config))
        except Diagnosis as refusal:
            return _make("StateAnswer", diagnostics=[_diagnostic(refusal)])
        return _make("StateAnswer", state=_write(found))

    def _import(self, asked: Any) -> Any:
        state = self._provider.find(asked.type_name, asked.id)
        if state is None:
            missing = Diagnosis("Cannot import non-existent remote object", asked.id)
            return _make("ImportAnswer", diagnostics=[_diagnostic(missing)])
        found = _make("Imported", type_name=asked.type_name, state=_write(state))
        return _make("ImportAnswer", imported_resources=[found])


_CONFIG = "ProviderConfigRequest"


def reattached(plugins: Iterable[Plugin]) -> dict[str, str]:
    """Return the environment in which Terraform uses these plug-ins, and nothing of the network."""
    addresses: dict[str, Any] = {}
    for plugin in plugins:
        addresses |= plugin.address
    return {
        "TF_REATTACH_PROVIDERS": json.dumps(addresses),
        "TF_CLI_CONFIG_FILE": os.devnull,
        "TF_IN_AUTOMATION": "1",
        "CHECKPOINT_DISABLE": "1",
    }


def _upgrade(asked: Any) -> Any:
    return _make("StateAnswer", state=_make("Value", json=asked.raw_state.json))


def _handler(call: Callable[[Any], Any], asked: str) -> Any:
    return grpc.unary_unary_rpc_method_handler(
        lambda request, context: call(request),
        _TYPES[asked].FromString,
        lambda answer: answer.SerializeToString(),
    )


def _make(name: str, /, **fields: Any) -> Any:
    return _TYPES[name](**fields)


def _read(value: Any) -> Any:
    if value.json:
        return json.loads(value.json)
    if not value.msgpack:
        return None
    return msgpack.unpackb(value.msgpack, ext_hook=lambda code, data: UNKNOWN, strict_map_key=False)


def _write(value: Any) -> Any:
    def unknown(value: Any) -> Any:
        return msgpack.ExtType(_UNKNOWN_EXTENSION, b"\0")

    return _make("Value", msgpack=msgpack.packb(value, default=unknown))


def _path(steps: Iterable[str | int]) -> Any:
    return _make(
        "Path",
        steps=[
            _make("Step", element_key_int=step)
            if isinstance(step, int)
            else _make("Step", attribute_name=step)
            for step in steps
        ],
    )


def _diagnostic(found: Diagnosis) -> Any:
    return _make(
        "Diagnostic",
        severity=_ERROR,
        summary=found.summary,
        detail=found.detail,
        attribute=_path(found.path),
    )


def _entries(schemas: Mapping[str, Any]) -> list[Any]:
    return [
        _make("SchemaEntry", key=name, value=_make("Schema", block=_block(schema["block"])))
        for name, schema in schemas.items()
    ]


_FLAGS = ("description", "required", "optional", "computed", "sensitive", "write_only")


def _block(schema: Mapping[str, Any]) -> Any:
    attributes = [
        _make(
            "Attribute",
            name=name,
            type=json.dumps(attribute["type"]).encode(),
            **{flag: attribute[flag] for flag in _FLAGS if flag in attribute},
        )
        for name, attribute in schema.get("attributes", {}).items()
    ]
    blocks = [
        _make(
            "NestedBlock",
            type_name=name,
            block=_block(nested["block"]),
            nesting=_NESTING[nested["nesting_mode"]],
            min_items=nested.get("min_items", 0),
            max_items=nested.get("max_items", 0),
        )
        for name, nested in schema.get("block_types", {}).items()
    ]
    return _make("Block", attributes=attributes, block_types=blocks)
