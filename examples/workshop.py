"""The handlers of the declared tools: one method for each tool. The instance keeps the state between calls.

The class needs no base class. Type checkers compare it with `generated.tools.Handlers` where it is passed, and so does each run
when it starts. A method gets validated arguments, and returns a value that fits the declared result.
"""

from __future__ import annotations

from datetime import timedelta

from generated.errors import ToolError
from generated.tools.create_order import CreateOrderArguments, CreateOrderResult
from generated.tools.find_free_slots import FindFreeSlotsArguments, FindFreeSlotsResult, FindFreeSlotsResultItem
from generated.tools.get_weather import GetWeatherArguments, GetWeatherResult
from generated.tools.list_time_zones import ListTimeZonesArguments
from generated.tools.read_file import ReadFileArguments
from generated.tools.run_query import RunQueryArguments
from generated.tools.search_documents import SearchDocumentsArguments, SearchDocumentsResult, SearchDocumentsResultItem
from generated.tools.send_message import SendMessageArguments
from generated.tools.set_preferences import SetPreferencesArguments
from generated.tools.write_file import WriteFileArguments

CELSIUS = {"Oslo": 4.0, "Lagos": 31.0, "Lima": 19.0}
PRICE = 12.5


class Workshop:
    """A make-believe office. Its files, orders, messages and preferences exist only in memory."""

    def __init__(self) -> None:
        """Start with one file."""
        self.files = {"notes.txt": "Buy paint.\nCall Ada.\nWater the plants.\n"}
        self.orders: dict[str, CreateOrderArguments] = {}
        self.sent: list[SendMessageArguments] = []
        self.preferences: dict[str, object] = {}

    def get_weather(self, args: GetWeatherArguments) -> GetWeatherResult:
        """Look up a city. The model reads the text of a ToolError, and can correct its call."""
        celsius = CELSIUS.get(args.city)
        if celsius is None:
            raise ToolError(f"No weather station there. There are stations in {', '.join(CELSIUS)}.")
        return GetWeatherResult(place=args.city, temperature=celsius if args.unit == "celsius" else celsius * 1.8 + 32)

    async def list_time_zones(self, args: ListTimeZonesArguments) -> list[str]:
        """List some zones. A method that waits for something is async; the others run in threads."""
        return ["Africa/Lagos", "America/Lima", "Europe/Oslo"]

    def find_free_slots(self, args: FindFreeSlotsArguments) -> FindFreeSlotsResult:
        """Return the first slot of the window, because everybody is always free here."""
        try:
            end = args.window.from_ + timedelta(minutes=args.duration_minutes)
        except OverflowError as error:
            raise ToolError("The meeting is too long.") from error
        return [FindFreeSlotsResultItem(start=args.window.from_, end=end)] if end <= args.window.to else []

    def search_documents(self, args: SearchDocumentsArguments) -> SearchDocumentsResult:
        """Find the files whose text contains the value of `equals`."""
        wanted = str(args.query.equals or "")
        matches = [name for name, text in self.files.items() if wanted in text]
        return [SearchDocumentsResultItem(id=name, title=name, score=1.0) for name in matches[: args.limit]]

    def read_file(self, args: ReadFileArguments) -> str:
        """Read a file. An argument that the model omits is None."""
        if args.path not in self.files:
            raise ToolError(f"There is no such file. There are: {', '.join(self.files)}.")
        return "".join(self.files[args.path].splitlines(keepends=True)[(args.start_line or 1) - 1 : args.end_line])

    def write_file(self, args: WriteFileArguments) -> dict[str, int]:
        """Store a text. The tool declares no result, so any value is fine."""
        self.files[args.path] = args.content
        return {"characters": len(args.content)}

    def create_order(self, args: CreateOrderArguments) -> CreateOrderResult:
        """Record an order."""
        number = f"o_{len(self.orders) + 1}"
        self.orders[number] = args
        return CreateOrderResult(order_id=number, total=PRICE * sum(item.quantity for item in args.items))

    def send_message(self, args: SendMessageArguments) -> str:
        """Put a message into the outbox."""
        self.sent.append(args)
        return f"Sent to {len(args.empfänger)}."

    def set_preferences(self, args: SetPreferencesArguments) -> dict[str, object]:
        """Change the given preferences. `model_fields_set` distinguishes null from an omitted argument."""
        self.preferences |= {name: getattr(args, name) for name in args.model_fields_set}
        return self.preferences

    def run_query(self, args: RunQueryArguments) -> None:
        """Refuse. The tool is deprecated, so runs do not offer it."""
        raise ToolError("There is no database here. Use search_documents.")
