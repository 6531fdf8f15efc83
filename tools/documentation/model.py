"""The declarations of the public headers, as the pages show them."""

from dataclasses import dataclass, field


@dataclass
class Parameter:
    text: str  # "int axis = -1"
    name: str
    type: str
    default: str


@dataclass
class Function:
    header: str
    name: str  # with "tcp::" where it is in that namespace
    owner: str  # the type, of a member
    head: str  # "template <class T>", with requirements
    result: str
    parameters: list
    suffix: str  # "const"
    comment: str
    remark: str  # the comment behind it on its line
    body: str
    is_static: bool = False

    def signature(self):
        begin = (self.head + " " if self.head else "") + ("static " if self.is_static else "") + (self.result + " " if self.result else "")
        text = f"{begin}{self.name}({', '.join(p.text for p in self.parameters)})"
        return text + (" " + self.suffix if self.suffix else "")


@dataclass
class Member:
    name: str
    type: str
    default: str
    comment: str


@dataclass
class Type:
    header: str
    name: str
    kind: str  # struct, class or enum
    head: str  # the parameters of its template
    bases: list
    comment: str
    op: str  # the op that it is; "*Adam" where a template of names has several
    members: list = field(default_factory=list)
    methods: list = field(default_factory=list)
    values: list = field(default_factory=list)

    def declaration(self):
        head = f"template <{self.head}> " if self.head else ""
        return f"{head}{self.kind} {self.name}" + (" : " + ", ".join(self.bases) if self.bases else "")


@dataclass
class Header:
    path: str  # "flowgraph/ops/math/clip.hpp"
    family: str  # the comment on top
    includes: list
    functions: list = field(default_factory=list)
    types: list = field(default_factory=list)
