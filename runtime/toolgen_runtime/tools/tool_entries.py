"""The declared tools of a project: by name, with classes that are imported on first use, and as one object.

`tools/__init__.py` of a package creates the object. `parse_call` first reads arguments strictly, then with coercion, for
calls that no provider's module has read and decoded. Each coerced value is reported as a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeGuard, get_args

from ..json_text import JSONError, is_utf8_encodable, loads
from ..json_values import copy_json, is_too_deep, same_json
from ..paths import ROOT, Path, format_path
from .argument_errors import ArgumentsError, Fault, convert_validation_error, json_type_name, unknown_tool_error

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..conversion.encoding import Encoding
    from ..conversion.writer import OnLoss
    from ..models import Loss, ToolCall, ToolDefinition

__all__ = [
    "LazyToolDefinitions",
    "ToolEntry",
    "ToolFacts",
    "ToolSet",
    "find_tool_name",
    "name_note",
    "parse_call_arguments",
]


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """What a package states about one tool, in one place, so that version control merges tools of two branches.

    `module`, `arguments` and `result` are the names of its module, of the class of its arguments, and of the type of its
    result. `timeout` is the time limit of its handler in seconds. `coercions` is a table of `conversion.encoding`: what is
    read in place of arguments that do not fit. The other facts are those of `ToolEntry` and `ToolSet`.
    """

    module: str
    arguments: str
    result: str
    _: KW_ONLY
    non_object_type: str | None = None
    low_risk: bool = False
    display_name: str | None = None
    deprecated: bool = False
    aliases: Collection[str] = ()
    timeout: float | None = None
    coercions: dict[str, Any] | None = None


class LazyToolDefinitions(Mapping[str, "ToolDefinition"]):
    """A mapping from the names of tools to their definitions. Reading a definition imports the module of its tool."""

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        """Set the package, and the module in it for each tool."""
        self._package = package
        self._modules = modules

    def __getitem__(self, name: str) -> ToolDefinition:
        """Return the definition of a tool. An unknown name raises KeyError."""
        definition: ToolDefinition = import_module(f"{self._package}.{self._modules[name]}").DEFINITION
        return definition

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the tools, in order."""
        return iter(self._modules)

    def __len__(self) -> int:
        """Return the number of tools."""
        return len(self._modules)


class ToolEntry:
    """A tool: its module in the package, the class of its arguments or a union of classes, and the type of its result.

    `non_object_type` is the type of arguments that are not an object, if the schema allows them because it has no type.
    Properties are accepted only by their own names; field names are for apps.
    """

    def __init__(self, package: str, name: str, declared: ToolFacts) -> None:
        """Set the names of the tool's parts. They are imported on first use."""
        self.name = name
        self.module = declared.module
        self._package = package
        self._model = declared.arguments
        self._result = declared.result
        self._non_object_type = declared.non_object_type
        self._coercion_table = declared.coercions
        self._validators: dict[str, Callable[..., Any]] = {}

    def parse(self, value: object) -> BaseModel:
        """Parse arguments to an instance of the tool's model.

        Raises:
            ArgumentsError: The value is not strict JSON, or is not valid.
        """
        if isinstance(value, str | bytes | bytearray):
            try:
                arguments = loads(value)
            except JSONError as error:
                raise ArgumentsError(self.name, [Fault("", "one JSON object", f"text with {error}")]) from None
        else:
            arguments = self._copy_of_values(value)
        if type(arguments) is not dict and self._non_object_type is None:
            raise ArgumentsError(self.name, [Fault("", "an object", json_type_name(arguments))])
        from pydantic import ValidationError

        try:
            if type(arguments) is not dict:
                return self._parse_non_object(arguments)
            model: BaseModel = self._validator(self._model)(arguments, by_name=False)
        except ValidationError as error:
            raise ArgumentsError(self.name, *convert_validation_error(arguments, error)) from None
        except RecursionError:
            raise self._too_deep() from None
        _unset_clashing_fields(model, arguments)
        return model

    def check_result(self, value: object) -> None:
        """Validate the return value of the tool, as JSON data, against its declared result.

        Raises:
            ArgumentsError: The value is not valid.
        """
        try:
            self._validator(self._result)(value, by_name=False)
        except ValueError as error:
            from pydantic import ValidationError

            if not isinstance(error, ValidationError):
                raise
            raise ArgumentsError(self.name, *convert_validation_error(value, error)) from None

    def coercions(self) -> Encoding | None:
        """Return the coercions of the arguments. None if there are none."""
        from ..conversion.encoding import Encoding

        return None if self._coercion_table is None else Encoding(self._coercion_table)

    def is_model(self, value: object) -> TypeGuard[BaseModel]:
        """Return whether a value is an instance of the tool's model, or of a class of its union."""
        return isinstance(value, tuple(_classes_in(self._named(self._model))))

    def _validator(self, name: str) -> Callable[..., Any]:
        """Return the function that validates values of a type of the module. It is made on first use."""
        if name not in self._validators:
            from pydantic import TypeAdapter

            adapter: TypeAdapter[Any] = TypeAdapter(self._named(name))
            self._validators[name] = adapter.validator.validate_python
        return self._validators[name]

    def _named(self, name: str) -> Any:
        return getattr(import_module(f"{self._package}.{self.module}"), name)

    def _copy_of_values(self, value: object) -> Any:
        """Return a copy of arguments that are values already, because the model must not share objects with the app.

        Raises:
            ArgumentsError: They are too deep, or contain text that cannot be encoded.
        """
        arguments = dict(value) if isinstance(value, Mapping) else value
        if is_too_deep(arguments):
            raise self._too_deep()
        if not is_utf8_encodable(arguments):
            raise ArgumentsError(self.name, [Fault("", "text", "half of a surrogate pair")])
        return copy_json(arguments)

    def _too_deep(self) -> ArgumentsError:
        return ArgumentsError(self.name, [Fault("", "a value of bounded depth", "a value that is nested too deeply")])

    def _parse_non_object(self, value: object) -> BaseModel:
        """Parse arguments that are not an object, to a model with the value as its root."""
        from pydantic import RootModel

        return RootModel[Any](self._validator(str(self._non_object_type))(value, by_name=False))


def _classes_in(annotation: Any) -> Iterator[type]:
    """Yield the classes of a union, whose members may be unions and annotated; a class alone is yielded."""
    if isinstance(annotation, type):
        yield annotation
    for member in get_args(annotation):
        yield from _classes_in(member)


def _unset_clashing_fields(value: Any, source: Any) -> None:
    """Mark fields as unset, at all levels, if the JSON value has only an undeclared key with their Python name."""
    if hasattr(value, "__pydantic_fields_set__") and type(source) is dict:
        extra = value.__pydantic_extra__ or {}
        for name, field in type(value).model_fields.items():
            alias = field.validation_alias or name
            if alias in source:
                _unset_clashing_fields(value.__dict__[name], source[alias])
            elif name in extra:
                value.__pydantic_fields_set__.discard(name)
        value = extra
    if type(value) is dict and type(source) is dict:
        for name, item in value.items():
            _unset_clashing_fields(item, source[name])
    elif type(source) is list and isinstance(value, list | tuple):
        for item, source_item in zip(value, source, strict=True):
            _unset_clashing_fields(item, source_item)


def parse_call_arguments(
    entries: Mapping[str, ToolEntry],
    call: ToolCall,
    on_loss: OnLoss | None = None,
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> BaseModel:
    """Parse the arguments of a call. `on_loss` is called with a note for each coerced value, and for a name with additions.

    `aliases` maps other names to those of tools.

    Raises:
        ArgumentsError: The call is invalid, the tool does not exist, or the arguments are not valid.
        TypeError: The value is not a call.
    """
    if not hasattr(call, "invalid"):
        raise TypeError(f"expected a ToolCall, found {type(call).__name__}")
    if call.invalid is not None:
        raise ArgumentsError(call.name, [Fault("", "a valid call", f"a call with the reason {call.invalid.reason}")])
    name = find_tool_name(call.name, entries, aliases)
    entry = None if name is None else entries.get(name)
    if entry is None:
        raise unknown_tool_error(call.name, entries)
    notes: list[Loss] = []
    if entry.name != aliases.get(call.name, call.name):
        notes.append(name_note(entry.name))
    try:
        model = entry.parse(call.arguments)
    except ArgumentsError as error:
        coerced = _coerced_arguments(entry, call)
        coercions = [] if coerced is None else list(_coercion_notes(call.arguments, coerced, (ROOT, "arguments")))
        if not coercions:
            raise
        notes += coercions
        try:
            model = entry.parse(coerced)
        except ArgumentsError:
            raise error from None
    if on_loss is not None and notes:
        from ..conversion.writer import call_on_loss  # only needed when something was converted

        for note in notes:
            call_on_loss(on_loss, note)
    return model


_ADDITIONS = re.compile(r"(?:functions\.|default_api[.:])?(.+?)(?:<\|.*)?", re.DOTALL)
"""What models add to names as they saw them in training: GPT and Kimi write `functions.now`, Gemini `default_api.now` and
`default_api:now`, gpt-oss `now<|channel|>commentary` where a server does not parse its format."""


def find_tool_name(name: object, tool_names: Container[str], aliases: Mapping[str, str]) -> str | None:
    """Return the name of the tool that a call names: by its name, an alias, or a name with what models add to it.

    A name that fits no tool is returned as it is, and None for what is no name.
    """
    if not isinstance(name, str):
        return None
    known = aliases.get(name, name)
    if known in tool_names:
        return known
    match = _ADDITIONS.fullmatch(name)
    bare = match[1] if match else name
    bare = aliases.get(bare, bare)
    return bare if bare in tool_names else name


def name_note(name: str) -> Loss:
    """Return the note that the call of another name was taken for one of a tool."""
    return _note((ROOT, "name"), "a name", f"the call was taken for one of {name}")


def _coerced_arguments(entry: ToolEntry, call: ToolCall) -> dict[str, Any] | None:
    """Return the arguments of a call after coercion. None if they are too deep, or do not become an object."""
    if is_too_deep(call.arguments):
        return None
    coercions = entry.coercions()
    coerced = call.arguments if coercions is None else coercions.decode(call.arguments)
    return coerced if type(coerced) is dict else None


def _coercion_notes(value: Any, coerced: Any, at: Path) -> Iterator[Loss]:
    """Yield a note for each value that was coerced."""
    if type(value) is dict and type(coerced) is dict:
        for name, item in value.items():
            if name in coerced:
                yield from _coercion_notes(item, coerced[name], (at, name))
            else:
                yield _note((at, name), "null", "null means that the optional property is absent")
    elif type(value) is list and type(coerced) is list:
        for i, (item, coerced_item) in enumerate(zip(value, coerced, strict=True)):
            yield from _coercion_notes(item, coerced_item, (at, i))
    elif not same_json(value, coerced):
        yield _note(at, json_type_name(value), f"the value was read as {json_type_name(coerced)}")


def _note(at: Path, what: str, reason: str) -> Loss:
    from ..models import Loss

    return Loss(format_path(at), what, "rewritten", "note", reason)


class ToolSet:
    """The declared tools of a package, without their handlers.

    `entries` has the tools by name, `low_risk` those whose calls run concurrently, `display_names` the names for user
    interfaces, `deprecated` the deprecated tools, `aliases` the tool of each alias, and `timeouts` the time limits of
    handlers in seconds.
    """

    def __init__(self, package: str, tools: Mapping[str, ToolFacts]) -> None:
        self.entries = {name: ToolEntry(package, name, tool) for name, tool in tools.items()}
        self.aliases: dict[str, Any] = {alias: name for name, tool in tools.items() for alias in tool.aliases}
        self.timeouts = {name: tool.timeout for name, tool in tools.items() if tool.timeout is not None}
        self.low_risk = frozenset(name for name, tool in tools.items() if tool.low_risk)
        self.display_names = {name: tool.display_name for name, tool in tools.items() if tool.display_name is not None}
        self.deprecated = frozenset(name for name, tool in tools.items() if tool.deprecated)
        self.coercions = {name: tool.coercions for name, tool in tools.items() if tool.coercions is not None}
        self.definitions = LazyToolDefinitions(package, {name: tool.module for name, tool in tools.items()})

    def parse_arguments(self, name: str, value: str | bytes | Mapping[str, Any]) -> BaseModel:
        """Check the arguments of a tool, and return them as a model.

        Args:
            name: The name of the tool.
            value: The arguments: an object, or JSON text.

        Returns:
            An instance of the model of the tool's arguments.

        Raises:
            ArgumentsError: The tool does not exist, or the value does not fit it.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise unknown_tool_error(name, self.entries)
        return entry.parse(value)

    def parse_call(self, call: ToolCall, *, on_loss: OnLoss | None = None) -> BaseModel:
        """Check the arguments of a call, and return them as a model.

        A value that does not fit, but whose meaning is unambiguous, is converted: null for an absent optional value, or
        a string for a listed number. `on_loss` is called with a note for each.

        Args:
            call: The call.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.

        Returns:
            An instance of the model of the tool's arguments.

        Raises:
            ArgumentsError: The call is invalid, the tool does not exist, or the arguments do not fit it.
        """
        return parse_call_arguments(self.entries, call, on_loss, self.aliases)
