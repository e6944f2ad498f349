"""What the Gemini API takes and what it refuses, by its own protobufs and a list of differences."""

import copy
import itertools
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from google.ai.generativelanguage_v1beta import (
    BatchEmbedContentsRequest,
    Content,
    CountTokensRequest,
    GenerateContentRequest,
    Part,
    Schema,
    Type,
)
from google.protobuf.json_format import ParseDict, ParseError

from local.loopback import Answer, Rejected

_Asked = TypeVar("_Asked", GenerateContentRequest, CountTokensRequest, BatchEmbedContentsRequest)

# https://ai.google.dev/gemini-api/docs/troubleshooting
ERRORS = {
    400: ("INVALID_ARGUMENT", "Request contains an invalid argument."),
    403: ("PERMISSION_DENIED", "The caller does not have permission."),
    404: ("NOT_FOUND", "Requested entity was not found."),
    429: ("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    500: ("INTERNAL", "An internal error has occurred."),
    503: ("UNAVAILABLE", "The model is overloaded. Please try again later."),
    504: ("DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
}

_THINKING = ("generationConfig", "thinkingConfig")

# What google-genai 3.6.1 sends, the API knows and google-ai-generativelanguage 0.12.1 does not
# [tried]: the field's path, the only value meant (None: any), and why it may pass.
_UNKNOWN_TO_THE_PROTO: tuple[tuple[tuple[str, ...], str | None, str], ...] = (
    ((*_THINKING, "thinkingLevel"), None, "how 3.x models are told to think; checked below"),
    (("toolConfig", "includeServerSideToolInvocations"), None, "newer than the package"),
    (("contents", "parts", "mediaResolution"), None, "3.x; the package has it per request only"),
    (("serviceTier",), None, "newer than the package"),
    (("labels",), None, "for billing; newer than the package"),
    (("safetySettings", "category"), "HARM_CATEGORY_JAILBREAK", "a category newer than the enum"),
)

# google-gemini/gemini-cli#7869, kaitranntt/ccs#25
_FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")

# google-genai 3.6.1, types.ThinkingLevel; the API takes them in any case.
_THINKING_LEVELS = ("THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH")


def error(code: int, message: str = "") -> Answer:
    """Return an error in Google's shape."""
    status, usual = ERRORS[code]
    return Answer({"error": {"code": code, "message": message or usual, "status": status}}, code)


def invalid(message: str) -> Rejected:
    """Return the refusal of a request that is wrong."""
    return Rejected(error(400, message))


def parse(body: Any, kind: type[_Asked]) -> _Asked:
    """Read a request by its protobuf; raise `Rejected` where that does not know it."""
    if not isinstance(body, dict):
        raise invalid("Invalid JSON payload received. The body is not an object.")
    known = copy.deepcopy(body)
    for path, only, _ in _UNKNOWN_TO_THE_PROTO:
        _take(known, path, only)
    asked = kind()
    try:
        ParseDict(known, kind.pb(asked))
    except ParseError as failure:
        raise invalid(f"Invalid JSON payload received. {failure}") from failure
    return asked


def _take(node: Any, path: tuple[str, ...], only: str | None = None) -> list[Any]:
    """Take a field (if it has the only value meant) out of wherever its path leads."""
    if isinstance(node, list):
        return [value for item in node for value in _take(item, path, only)]
    if not isinstance(node, dict):
        return []
    found = [key for key in _spellings(path[0]) if key in node]
    if len(path) > 1:
        return [value for key in found for value in _take(node[key], path[1:], only)]
    return [node.pop(key) for key in found if only in (None, node[key])]


def _spellings(camel: str) -> set[str]:
    return {camel, re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", camel)}


def check(body: Any, asked: GenerateContentRequest) -> None:
    """Raise `Rejected` for what the protobuf lets pass and the API does not."""
    _check_thinking(body)
    _check_form(asked)
    _check_tools(asked)
    check_contents(asked)
    _check_declared(asked)


def _check_thinking(body: Any) -> None:
    # On the raw body: the protobuf has the budget, but not the level.
    body = copy.deepcopy(body)
    levels = _take(body, (*_THINKING, "thinkingLevel"))
    if levels and _take(body, (*_THINKING, "thinkingBudget")):
        raise invalid("thinking_level and thinking_budget can't be set together.")
    for level in levels:
        if str(level).upper() not in _THINKING_LEVELS:
            raise invalid(f"Invalid value at thinking_config.thinking_level: {level!r}")


def _check_form(asked: GenerateContentRequest) -> None:
    config = asked.generation_config
    for field in ("response_schema", "response_json_schema"):
        if field in config and config.response_mime_type != "application/json":
            raise invalid(f"{field} needs response_mime_type application/json.")
    if "response_schema" in config:
        _check_schema("generation_config.response_schema", config.response_schema)


def _check_tools(asked: GenerateContentRequest) -> None:
    declarations = [declared for tool in asked.tools for declared in tool.function_declarations]
    for number, declared in enumerate(declarations):
        name = f"tools.function_declarations[{number}]"
        if not _FUNCTION_NAME.fullmatch(declared.name):
            raise invalid(f"{name}.name: Invalid function name {declared.name!r}.")
        if "parameters" in declared:
            if declared.parameters.type_ != Type.OBJECT:  # googleapis/python-genai#981
                raise invalid(f"{name}.parameters: schema should be of type OBJECT.")
            _check_schema(f"{name}.parameters", declared.parameters)


def _check_declared(asked: GenerateContentRequest) -> None:
    declared = {one.name for tool in asked.tools for one in tool.function_declarations}
    for part in (part for content in asked.contents for part in content.parts):
        name = part.function_response.name
        if "function_response" in part and name not in declared:  # watt-mind/coach#280
            raise invalid(f"function response {name} is of no tool that is declared.")


def _check_schema(name: str, schema: Schema) -> None:
    kind = schema.type_
    if kind == Type.OBJECT and not schema.properties:  # agno-agi/agno#2112
        raise invalid(f"{name}.properties: should be non-empty for OBJECT type")
    if set(schema.required) - set(schema.properties):  # iBUHub/AIStudioToAPI#154
        raise invalid(f"{name}.required: property is not defined")
    if kind == Type.ARRAY and "items" not in schema:  # cline/cline#7339
        raise invalid(f"{name}.items: missing field.")
    if schema.enum and kind != Type.STRING:  # decolua/9router#359
        raise invalid(f"{name}.enum: only allowed for STRING type")
    if "" in schema.enum:  # Bobsilvio/ha-claude#32
        raise invalid(f"{name}.enum: cannot be empty")
    if kind == Type.STRING and schema.format_ not in ("", "enum", "date-time"):  # gemini-cli#3178
        raise invalid(f"{name}.format: only 'enum' and 'date-time' are supported for STRING type")
    for field, described in schema.properties.items():
        _check_schema(f"{name}.properties[{field}]", described)
    for number, option in enumerate(schema.any_of):
        _check_schema(f"{name}.any_of[{number}]", option)
    if "items" in schema:
        _check_schema(f"{name}.items", schema.items)


def check_contents(asked: GenerateContentRequest) -> None:
    """Raise `Rejected` for contents the API does not take."""
    if not asked.contents:
        raise invalid("contents is not specified.")
    if "system_instruction" in asked:
        check_parts("system_instruction", asked.system_instruction)
    for number, content in enumerate(asked.contents):
        check_parts(f"contents[{number}]", content)
    _check_roles([content.role for content in asked.contents])
    for before, content in itertools.pairwise([Content(), *asked.contents]):
        _check_results(_calls(before), content)
    _check_signatures(asked.contents)


def check_parts(name: str, content: Content) -> None:
    """Raise `Rejected` for a content that has nothing in it."""
    if not content.parts:
        raise invalid(f"{name}.parts must not be empty.")
    for number, part in enumerate(content.parts):
        if not Part.pb(part).WhichOneof("data"):
            raise invalid(f"{name}.parts[{number}].data: one field of it must be set.")
        # A signature may come, and go back, in a part that says nothing else.
        if "text" in part and not (part.text or part.thought_signature):
            raise invalid(f"{name}.parts[{number}].text must not be empty.")


def _check_roles(roles: list[str]) -> None:
    if roles == [""]:  # it "can be left blank" where there is no conversation (content.proto)
        return
    for role in roles:
        if role not in ("user", "model"):
            raise invalid(f"Please use a valid role: user, model. Not {role!r}.")
    if roles[0] != "user":
        raise invalid("contents must start with role user.")


def _check_results(calls: list[Part], content: Content) -> None:
    results = [part.function_response for part in content.parts if "function_response" in part]
    called = {(call.function_call.name, call.function_call.id) for call in calls}
    called |= {(name, "") for name, _ in called}  # a result may leave the id out
    for result in results:
        if (result.name, result.id) not in called:
            raise invalid(f"function response {result.name} has no call in the content before it.")
    if len(results) != len(calls):  # google-gemini/gemini-cli#5443
        raise invalid("A function call turn needs as many function responses as it has calls.")


def _check_signatures(contents: Sequence[Content]) -> None:
    # Of the current turn only, which begins with the last content that isn't a model's or a tool's:
    # https://ai.google.dev/gemini-api/docs/thought-signatures
    turn = max(number for number, content in enumerate(contents) if _is_asking(content))
    for content in contents[turn:]:
        calls = _calls(content)
        if calls and not calls[0].thought_signature:
            name = calls[0].function_call.name
            raise invalid(f"Function call {name} is missing a thought_signature.")


def _is_asking(content: Content) -> bool:
    return content.role != "model" and any("function_response" not in p for p in content.parts)


def _calls(content: Content) -> list[Part]:
    return [part for part in content.parts if content.role == "model" and "function_call" in part]
