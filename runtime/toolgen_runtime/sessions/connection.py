"""Create sessions from a configuration: which client to use, and with which API keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError

from ..errors import type_name
from .base import AsyncSession, Session

__all__ = [
    "AnyProviderConfig",
    "ClientClasses",
    "GenAIProviderConfig",
    "OpenAIProviderConfig",
    "ProviderConfig",
    "SessionConnector",
]

_NO_KEY = "none"
"""The API key for a server that needs none. Clients refuse an empty one, or take one from the environment instead."""


@dataclass(frozen=True, slots=True)
class ClientClasses:
    """The names of a client's classes and of their arguments.

    `key` and `address` are the arguments for the API key and the base URL; None if there is no such argument. `package`
    is the name of the distribution with the client, if it is not that of its module.
    """

    module: str
    sync: str
    asynchronous: str
    key: str | None
    address: str | None
    needs_address: bool = False
    package: str | None = None

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Return the classes that `client` in the section `session` of a profile states."""
        return cls(
            facts["module"],
            facts["sync"],
            facts["async"],
            key=facts.get("key"),
            address=facts.get("address"),
            needs_address=facts.get("needs_address", False),
            package=facts.get("package"),
        )


class _Keys(BaseModel):
    """The base of all configurations. Errors do not contain values, because some are API keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    api_keys: list[Annotated[SecretStr, Field(min_length=1)]]
    """API keys, used in rotation. An interface whose API has none, and a server at a `base_url`, may do without."""
    models: Annotated[list[str], Field(min_length=1)]
    """Names of models. Requests that do not name a model use the first one."""


class OpenAIProviderConfig(_Keys):
    """Configuration of OpenAI's API."""

    interface: Literal["openai"]
    base_url: Annotated[str, Field(min_length=1)] | None = None
    """Base URL of the API, if it is not OpenAI's own."""


class GenAIProviderConfig(_Keys):
    """Configuration of Google's Gemini API. It has no `base_url`."""

    interface: Literal["genai"]


class AnyProviderConfig(_Keys):
    """Configuration of any supported interface."""

    interface: str
    """The name of the interface, one of `INTERFACES`."""
    base_url: Annotated[str, Field(min_length=1)] | None = None
    """Base URL of the API, if it is not the client's default."""


ProviderConfig: TypeAlias = Annotated[OpenAIProviderConfig | GenAIProviderConfig, Field(discriminator="interface")]
"""A configuration of one of these two interfaces, identified by `interface`."""


class SessionConnector:
    """Makes sessions from configurations, with the modules of sessions of one package."""

    def __init__(self, package: str, interfaces: Mapping[str, str]) -> None:
        """Set the package with the modules of sessions, and the module of each interface."""
        self._package = package
        self._interfaces = interfaces

    def connect(self, config: ProviderConfig | AnyProviderConfig | Mapping[str, Any]) -> Session:
        """Make a session from a configuration. The official client of the interface has to be installed.

        Args:
            config: `interface`, `api_keys`, `models` and, if supported, `base_url`. Several API keys are used in
                rotation. Requests without a model use the first one.

        Returns:
            The session.

        Raises:
            TypeError: The configuration is neither a mapping nor an instance of one of these classes.
            ValueError: The configuration is not valid for the interface.
            ImportError: The official client is not installed.
        """
        session: Session = self._connect(config, is_async=False)
        return session

    def connect_async(self, config: ProviderConfig | AnyProviderConfig | Mapping[str, Any]) -> AsyncSession:
        """Make a session for async code from a configuration, like `connect`.

        Args:
            config: `interface`, `api_keys`, `models` and, if supported, `base_url`.

        Returns:
            The session.

        Raises:
            TypeError: The configuration is neither a mapping nor an instance of one of these classes.
            ValueError: The configuration is not valid for the interface.
            ImportError: The official client is not installed.
        """
        session: AsyncSession = self._connect(config, is_async=True)
        return session

    def _connect(self, config: Any, *, is_async: bool) -> Any:
        """Make a session with a client for each API key."""
        settings = _validate(config if isinstance(config, Mapping) else _fields_of(config))
        if settings.interface not in self._interfaces:
            near = get_close_matches(str(settings.interface)[:64], self._interfaces, n=1)
            suggestion = f" (did you mean {near[0]}?)" if near else ""
            supported = ", ".join(sorted(self._interfaces)) or "none"
            raise ValueError(f"unsupported interface{suggestion}; supported are {supported}")
        module = import_module(f"{self._package}.{self._interfaces[settings.interface]}")
        session_class = module.AsyncSession if is_async else module.Session
        classes = ClientClasses.from_facts(session_class.provider.WIRE.session["client"])
        clients = [_make_client(classes, settings, key, is_async) for key in _api_keys(classes, settings)]
        return session_class(clients[0], settings.models[0], further=clients[1:])


def _fields_of(config: _Keys) -> dict[str, Any]:
    """Return the fields of a configuration.

    Raises:
        TypeError: The value is not a configuration.
    """
    if not isinstance(config, _Keys):
        raise TypeError(f"a configuration must be a mapping or a configuration of `types`, not {type(config).__name__}")
    return {name: getattr(config, name) for name in type(config).model_fields}


def _validate(config: Mapping[str, Any]) -> AnyProviderConfig:
    """Validate a configuration, with the specific type of its interface if there is one.

    Raises:
        ValueError: The configuration is not valid. The error contains locations and types, but no values.
    """
    config = dict(config)
    interface = config.get("interface")
    adapter: TypeAdapter[Any] = TypeAdapter(ProviderConfig if interface in ("openai", "genai") else AnyProviderConfig)
    try:
        validated: _Keys = adapter.validate_python(config)
    except ValidationError as error:
        rows = error.errors(include_url=False, include_context=False)
    else:
        return AnyProviderConfig(**_fields_of(validated))
    # raised outside of `except`, so that the original error, which contains values, is not chained
    keys = list((GenAIProviderConfig if interface == "genai" else AnyProviderConfig).model_fields)
    faults = [_describe_fault(row["type"], row["loc"], row["input"], keys) for row in rows]
    raise ValueError("; ".join(dict.fromkeys(faults)))


def _describe_fault(kind: str, location: tuple[int | str, ...], value: Any, keys: list[str]) -> str:
    """Describe a validation error.

    A key that is not supported may be secret. It is named only if some interface has it, or if it resembles one of `keys`.
    """
    steps = [step for step in location if step not in ("openai", "genai")]  # without the branch of the union
    if kind == "extra_forbidden":
        if steps[-1] in AnyProviderConfig.model_fields:
            return f"{steps[-1]} is not supported by this interface; its keys are {', '.join(keys)}"
        near = get_close_matches(str(steps[-1]), keys, n=1, cutoff=0.7)
        key = f"{steps[-1]} (did you mean {near[0]}?)" if near else "an unknown key"
        return f"{key} is not supported; the keys are {', '.join(keys)}"
    where = "".join(f"[{step}]" if isinstance(step, int) else step for step in steps) or "the configuration"
    if kind == "missing":
        return f"{where} is missing"
    if kind in ("too_short", "string_too_short"):
        return f"{where} must not be empty"
    expected = "a list of strings" if where in ("api_keys", "models") else "a string"
    return f"{where} must be {expected}, found {type_name(value)}"


def _api_keys(classes: ClientClasses, config: AnyProviderConfig) -> list[str | None]:
    """Return the API keys, one for each client. None for a client without keys.

    A server at another address may need no key. A client that demands one gets a word that is none.

    Raises:
        ValueError: Keys are missing, or given for an interface that does not use them.
    """
    if classes.key is None:
        if config.api_keys:
            raise ValueError(f"api_keys must be empty: {config.interface} does not use API keys")
        return [None]
    if not config.api_keys and (classes.needs_address or config.base_url is not None):
        return [_NO_KEY]
    if not config.api_keys:
        raise ValueError(f"api_keys must not be empty: {config.interface} requires an API key")
    return [key.get_secret_value() for key in config.api_keys]


def _make_client(classes: ClientClasses, config: AnyProviderConfig, key: str | None, is_async: bool) -> Any:
    """Create an official client.

    Raises:
        ValueError: The base URL is missing, or given for an interface that does not accept one.
        ImportError: The client is not installed.
    """
    if config.base_url is not None and classes.address is None:
        raise ValueError(f"base_url is not supported by {config.interface}")
    if config.base_url is None and classes.needs_address:
        raise ValueError(f"base_url is missing: {config.interface} requires one")
    try:
        module = import_module(classes.module)
    except ImportError as error:
        package = classes.package or classes.module
        raise ImportError(f"the interface {config.interface} requires the package {package}; install it") from error
    keywords = {} if classes.key is None else {classes.key: key}
    if config.base_url is not None and classes.address is not None:
        keywords[classes.address] = config.base_url
    return getattr(module, classes.asynchronous if is_async else classes.sync)(**keywords)
