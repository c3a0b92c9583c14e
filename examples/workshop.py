"""What the declared tools do: one method a tool, and what is kept between calls on the instance.

Nothing inherits from anything: type checkers hold the class against `generated.tools.Handlers` where it is handed over, and
so does the start of a run. A method gets arguments that were checked, and returns a value of the declared result.
"""

from __future__ import annotations

from datetime import timedelta

from generated.tools import ToolError
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
    """A make-believe office; its files, orders, messages and preferences are gone when the program ends."""

    def __init__(self) -> None:
        """Begin with one file and nothing else."""
        self.files = {"notes.txt": "Buy paint.\nCall Ada.\nWater the plants.\n"}
        self.orders: dict[str, CreateOrderArguments] = {}
        self.sent: list[SendMessageArguments] = []
        self.preferences: dict[str, object] = {}

    def get_weather(self, args: GetWeatherArguments) -> GetWeatherResult:
        """Look a city up. The text of a ToolError goes to the model, which can fix its call."""
        celsius = CELSIUS.get(args.city)
        if celsius is None:
            raise ToolError(f"No weather station there. There are stations in {', '.join(CELSIUS)}.")
        return GetWeatherResult(place=args.city, temperature=celsius if args.unit == "celsius" else celsius * 1.8 + 32)

    async def list_time_zones(self, args: ListTimeZonesArguments) -> list[str]:
        """List some zones; a method that waits for something is async, the others run in threads."""
        return ["Africa/Lagos", "America/Lima", "Europe/Oslo"]

    def find_free_slots(self, args: FindFreeSlotsArguments) -> FindFreeSlotsResult:
        """Give the first slot of the window: everybody is always free here."""
        try:
            end = args.window.from_ + timedelta(minutes=args.duration_minutes)
        except OverflowError as error:
            raise ToolError("The meeting is too long.") from error
        return [FindFreeSlotsResultItem(start=args.window.from_, end=end)] if end <= args.window.to else []

    def search_documents(self, args: SearchDocumentsArguments) -> SearchDocumentsResult:
        """Find the files whose text has what the condition's `equals` says."""
        wanted = str(args.query.equals or "")
        found = [name for name, text in self.files.items() if wanted in text]
        return [SearchDocumentsResultItem(id=name, title=name, score=1.0) for name in found[: args.limit]]

    def read_file(self, args: ReadFileArguments) -> str:
        """Read a file; an argument that was left out is None."""
        if args.path not in self.files:
            raise ToolError(f"There is no such file. There are: {', '.join(self.files)}.")
        return "".join(self.files[args.path].splitlines(keepends=True)[(args.start_line or 1) - 1 : args.end_line])

    def write_file(self, args: WriteFileArguments) -> dict[str, int]:
        """Keep a text; the tool declares no result, so any value will do."""
        self.files[args.path] = args.content
        return {"characters": len(args.content)}

    def create_order(self, args: CreateOrderArguments) -> CreateOrderResult:
        """Take an order down."""
        number = f"o_{len(self.orders) + 1}"
        self.orders[number] = args
        return CreateOrderResult(order_id=number, total=PRICE * sum(item.quantity for item in args.items))

    def send_message(self, args: SendMessageArguments) -> str:
        """Put a message into the outbox."""
        self.sent.append(args)
        return f"Sent to {len(args.empfanger)}."

    def set_preferences(self, args: SetPreferencesArguments) -> dict[str, object]:
        """Change what was given: `model_fields_set` tells null from what was left out."""
        self.preferences |= {name: getattr(args, name) for name in args.model_fields_set}
        return self.preferences

    def run_query(self, args: RunQueryArguments) -> None:
        """Refuse: the tool is deprecated, and runs do not offer it."""
        raise ToolError("There is no database here. Use search_documents.")
