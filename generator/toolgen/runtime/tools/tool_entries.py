"""The declared tools by name: each finds its classes and its definition when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeGuard

from ..json_text import JSONError, copy_json, is_encodable, loads, too_deep
from .arguments import ArgumentsError, Fault, faults_of, type_of

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..conversion.encoding import Encoding
    from ..models import ToolDefinition

__all__ = ["Definitions", "ToolEntry", "tool_entries"]


class Definitions(Mapping[str, "ToolDefinition"]):
    """A mapping from a tool's name to its definition that imports nothing until it is read."""

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        """Take the package of the tools' modules, and the module of each tool."""
        self._package = package
        self._modules = modules

    def __getitem__(self, name: str) -> ToolDefinition:
        """Return the definition of a tool; an unknown name raises KeyError."""
        definition: ToolDefinition = import_module(f"{self._package}.{self._modules[name]}").DEFINITION
        return definition

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the tools, in their order."""
        return iter(self._modules)

    def __len__(self) -> int:
        """Return the number of tools."""
        return len(self._modules)


MAX_QUICK = 100_000
"""Characters of a text that is read by pydantic alone."""

_PLAIN = frozenset([str, int, bool, type(None)])
"""Types of values that hold no keys, and that are in JSON what they are here."""

_HOLDERS = frozenset([dict, list])
"""Types of JSON values that a model would share with a call."""

_HIDING = ("\\u003", "\\u006", "\\u007")
"""How escapes begin that may stand for a colon, or for a letter of `null`."""


class ToolEntry:
    """A tool: its module below the package, the class of its arguments, and the type of its result.

    `anything` says that any value may stand in it, not under a key of its own. `other` is the type of arguments that
    are not an object, where the schema admits them because it names no type. Properties are known by their own names alone;
    those of the fields are for apps.
    """

    __slots__ = (
        "_anything",
        "_check",
        "_dump",
        "_model",
        "_other",
        "_package",
        "_read",
        "_result",
        "_validate",
        "module",
        "name",
    )

    def __init__(
        self, package: str, name: str, module: str, model: str, result: str, anything: bool, other: str | None
    ) -> None:
        """Take the names; nothing is imported before it is needed."""
        self.name = name
        self.module = module
        self._package = package
        self._model = model
        self._result = result
        self._anything = anything
        self._other = other
        self._read: Callable[..., BaseModel] | None = None
        self._validate: Callable[..., BaseModel] | None = None
        self._dump: Callable[..., bytes] = bytes
        self._check: Callable[..., object] | None = None

    def parsed(self, value: object) -> BaseModel:
        """Make the model of the arguments.

        Raises:
            ArgumentsError: the value is not strict JSON, or does not fit.
        """
        if type(value) is str and len(value) < MAX_QUICK:
            read = self._read or self._prepared()
            try:
                made = read(value, by_name=False)
            except (ValueError, RecursionError):  # it does not fit, or is not valid JSON: the careful way says why
                return self._carefully(value)
            if self._is_strict(value, made):
                return made
        elif type(value) is dict and _HOLDERS.isdisjoint(map(type, value.values())) and is_encodable(value):
            # nothing in it can be shared
            if self._validate is None:
                self._validate = self._class().__pydantic_validator__.validate_python
            try:
                return self._validate(value, by_name=False)
            except (ValueError, RecursionError):
                return self._carefully(value)
        return self._carefully(value)

    def check_result(self, value: object) -> None:
        """Hold what the tool gives, as JSON data, against what it declares.

        Raises:
            ArgumentsError: the value does not fit.
        """
        if self._check is None:
            from pydantic import TypeAdapter

            adapter: TypeAdapter[Any] = TypeAdapter(self._named(self._result))
            self._check = adapter.validator.validate_python
        try:
            self._check(value, by_name=False)
        except ValueError as error:
            from pydantic import ValidationError

            if not isinstance(error, ValidationError):
                raise
            raise ArgumentsError(self.name, *faults_of(value, error)) from None

    def lenient(self) -> Encoding | None:
        """What models may mean where they say otherwise; None where nothing else can be meant."""
        from ..conversion.encoding import Encoding

        table: dict[str, Any] | None = import_module(f"{self._package}._lenient").LENIENT.get(self.name)
        return None if table is None else Encoding(table)

    def is_model(self, value: object) -> TypeGuard[BaseModel]:
        """Whether a value is an instance of the class of the arguments."""
        return isinstance(value, self._class())

    def _prepared(self) -> Callable[..., BaseModel]:
        model = self._class()
        self._read = model.__pydantic_validator__.validate_json
        self._dump = model.__pydantic_serializer__.to_json
        return self._read

    def _class(self) -> type[BaseModel]:
        model: type[BaseModel] = self._named(self._model)
        return model

    def _named(self, name: str) -> Any:
        return getattr(import_module(f"{self._package}.{self.module}"), name)

    def _is_strict(self, text: str, made: BaseModel) -> bool:
        """Whether a text that pydantic took is sure to be strict JSON.

        A text has as many colons as keys, or more. If it has as many as the model has keys, none was given twice. Where
        a text has colons too, or a number may have overflowed, the model is written as JSON again: a key that was dropped
        lacks its colon there, and a number that JSON does not have is a null.
        """
        colons, extra = text.count(":"), made.__pydantic_extra__
        if (
            colons == len(made.__pydantic_fields_set__)
            and (not self._anything or _PLAIN.issuperset(map(type, made.__dict__.values())))
            and (not extra or _PLAIN.issuperset(map(type, extra.values())))
        ):
            return True
        if colons == _keys_of_model(made):
            return True
        if "\\u00" in text and any(escape in text for escape in _HIDING):
            return False
        again = self._dump(made, by_alias=True, exclude_unset=True, warnings=False)
        return again.count(b":") == colons and again.count(b"null") == text.count("null")

    def _carefully(self, value: object) -> BaseModel:
        if isinstance(value, str | bytes | bytearray):
            try:
                value = loads(value)
            except JSONError as error:
                raise ArgumentsError(self.name, [Fault("", "one JSON object", f"text with {error}")]) from None
        if not isinstance(value, Mapping) and self._other is None:
            raise ArgumentsError(self.name, [Fault("", "an object", type_of(value))])
        from pydantic import ValidationError

        given = dict(value) if isinstance(value, Mapping) else value
        if too_deep(given):
            raise self._too_deep()
        if not is_encodable(given):
            raise ArgumentsError(self.name, [Fault("", "text", "half of a surrogate pair")])
        try:
            return (
                self._class().model_validate(copy_json(given), by_name=False)
                if type(given) is dict
                else self._other_value(given)
            )
        except ValidationError as error:
            raise ArgumentsError(self.name, *faults_of(value, error)) from None
        except RecursionError:
            raise self._too_deep() from None

    def _too_deep(self) -> ArgumentsError:
        return ArgumentsError(self.name, [Fault("", "a value of bounded depth", "one that is nested too deep")])

    def _other_value(self, value: object) -> BaseModel:
        from pydantic import RootModel, TypeAdapter

        adapter: TypeAdapter[Any] = TypeAdapter(self._named(str(self._other)))
        return RootModel[Any](adapter.validate_python(copy_json(value), by_name=False))


_UNSURE = -(10**9)
"""A number of keys that no text has colons for."""


def _keys_of_model(model: BaseModel) -> int:
    """The number of keys that a model was given, with those inside; below 0 where a value may have had others in its text."""
    if model.__pydantic_root_model__:
        return _UNSURE
    given, values, extra = model.__pydantic_fields_set__, model.__dict__, model.__pydantic_extra__
    count = len(given)
    for name in given:
        value = values[name] if extra is None or name in values else extra[name]
        if type(value) not in _PLAIN:
            count += _keys_inside(value)
    return count


def _keys_inside(value: Any) -> int:
    """The number of keys in a value that is not plain."""
    kind = type(value)
    if kind is list or kind is dict:
        count = 0 if kind is list else len(value)
        for item in value if kind is list else value.values():
            if type(item) not in _PLAIN:
                count += _keys_inside(item)
        return count
    if kind is float:
        return 0 if value - value == 0.0 else _UNSURE
    return _keys_of_model(value) if hasattr(value, "__pydantic_root_model__") else _UNSURE


def tool_entries(
    package: str,
    tools: Mapping[str, tuple[str, str, str]],
    anything: Collection[str] = (),
    others: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, ToolEntry]:
    """List the tools of a package by name, given the module, the class of arguments and the type of the result of each."""
    return {
        name: ToolEntry(package, name, module, model, result, name in anything, others.get(name))
        for name, (module, model, result) in tools.items()
    }
