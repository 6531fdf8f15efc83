"""Reads contents.txt: the pages, their groups by purpose, and the order of headers and names."""

import re
from dataclasses import dataclass, field


@dataclass
class Group:
    title: str
    guide: str
    headers: list = field(default_factory=list)  # (path, names that come first)


@dataclass
class Page:
    name: str
    title: str
    groups: list = field(default_factory=list)


def read(text):
    pages = []
    for line in text.split("\n"):
        if found := re.match(r"# ([a-z_]+): (.*)", line):
            pages.append(Page(found.group(1), found.group(2)))
        elif found := re.match(r"## (.*?)(?: \(([a-z_]+\.md)\))?$", line):
            pages[-1].groups.append(Group(found.group(1), found.group(2) or ""))
        elif found := re.match(r"([a-z_0-9/]+\.hpp)(?:: (.*))?$", line):
            pages[-1].groups[-1].headers.append(("flowgraph/" + found.group(1), (found.group(2) or "").split()))
    return pages
