"""Takes a page of HTML apart without a browser: what is text, and where it stands."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "path"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str]
    parent: "Element | None"
    content: list["str | Element"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands right in it."""
        return "".join(each for each in self.content if isinstance(each, str))

    @property
    def whole(self) -> str:
        """What stands anywhere in it."""
        return "".join(each if isinstance(each, str) else each.whole for each in self.content)

    @property
    def around(self) -> set[str]:
        """Its own name and those of everything around it."""
        return {self.name} | (self.parent.around if self.parent else set())


class Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.all = [Element("", {}, None)]
        self.open = [self.all[0]]
        self.feed(text)
        self.close()
        assert len(self.open) == 1, [e.name for e in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {k: v or "" for k, v in attrs}, self.open[-1])
        self.open[-1].content.append(element)
        self.all.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)

    def find(self, name: str, **attributes: str) -> list[Element]:
        wanted = {k.strip("_").replace("_", "-"): v for k, v in attributes.items()}
        return [
            e
            for e in self.all
            if e.name == name and all(e.attributes.get(k) == v for k, v in wanted.items())
        ]

    def one(self, name: str, **attributes: str) -> Element:
        (element,) = self.find(name, **attributes)
        return element
