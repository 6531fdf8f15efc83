"""The full entries: tests/reference/shown/*.hpp has their texts and programs, and what these print.

    // session::run
    // A sentence that takes the place of the header's, where that one is not enough.
    // feeds: pairs of an edge and its tensor
    // Returns the tensors of the fetches.
    // Guide: running.md
    const shown session_run("session::run", [] {
      ...
      std::printf("%g\\n", y[0]);
      // prints: 3

      std::puts(...);
      // error: a text
    });

A name that several headers have is written with its header: "core/shape.hpp: to_string". A paragraph with `// error:` shows an error. The lines that a program prints are those of `// prints:` and `// error:`, in their order; a
comment indented by three blanks goes on with the one above it. A paragraph that only prepares is shown with those that print.
"""

import re
from dataclasses import dataclass, field


@dataclass
class Paragraph:
    code: list = field(default_factory=list)
    printed: list = field(default_factory=list)  # ("prints" or "error", text, number of its line)

    def is_error(self):
        return any(kind == "error" for kind, _, _ in self.printed)


@dataclass
class Entry:
    name: str
    file: str
    line: int
    parameters: dict = field(default_factory=dict)
    about: str = ""
    returns: str = ""
    guide: str = ""
    errors: str = ""  # a reason why it has none
    paragraphs: list = field(default_factory=list)

    def printed(self):
        return [p for paragraph in self.paragraphs for p in paragraph.printed]


def read_text(entry, comment):
    last = "about"
    for line in comment:
        found = re.match(r"([a-z_0-9]+): (.*)", line)
        if line.startswith("Returns"):
            entry.returns, last = line, "returns"
        elif line.startswith("Guide: "):
            entry.guide, last = line[7:], None
        elif line.startswith("No error: "):
            entry.errors, last = line[10:], "errors"
        elif found:
            entry.parameters[found.group(1)], last = found.group(2), found.group(1)
        elif last in ("about", "returns", "errors"):
            setattr(entry, last, (getattr(entry, last) + " " + line).strip())
        elif last:
            entry.parameters[last] += " " + line


def read_body(entry, lines, number):
    entry.paragraphs.append(Paragraph())
    for at, line in enumerate(lines):
        found = re.match(r"\s*// (prints|error): (.*)", line)
        if line.strip() == "":
            entry.paragraphs.append(Paragraph())
            continue
        further = re.match(r"\s*//   +(.*)", line)
        if found:
            entry.paragraphs[-1].printed.append((found.group(1), found.group(2), number + at))
        elif further and entry.paragraphs[-1].printed:
            kind, begin, begun = entry.paragraphs[-1].printed[-1]
            entry.paragraphs[-1].printed[-1] = (kind, begin + " " + further.group(1), begun)
        entry.paragraphs[-1].code.append(line[2:] if line.startswith("  ") else line)


def read(path, text):
    """The entries of a file, and the faults of their form."""
    entries, faults = [], []
    lines = text.split("\n")
    comment, before = [], []  # of the entry that begins; code between comment and program, as an op's struct
    at = 0
    while at < len(lines):
        found = re.match(r'const shown \w+\("([^"]+)", \[\] \{$', lines[at])
        if found:
            end = next((i for i in range(at, len(lines)) if lines[i] == "});"), None)
            if end is None or not comment or comment[0] != found.group(1):
                faults.append(f"{path}:{at + 1}: {found.group(1)} has no comment that begins with its name, or no end")
                break
            entry = Entry(found.group(1), path, at + 1)
            read_text(entry, comment[1:])
            if before:
                entry.paragraphs.append(Paragraph(before))
            read_body(entry, lines[at + 1 : end], at + 2)
            entries.append(entry)
            comment, before, at = [], [], end
        elif lines[at].startswith("// ") and not before:
            comment.append(lines[at][3:])
        elif lines[at] == "" and not before:
            comment = []
        elif comment:
            before.append(lines[at])
        at += 1
    return entries, faults


def compare(entries, output):
    """What the program printed against what the texts say."""
    faults = []
    printed = {}
    name = ""
    for line in output.split("\n"):
        if line.startswith("== "):
            name = line[3:]
            printed[name] = []
        elif line:
            printed.setdefault(name, []).append(line)
    for entry in entries:
        found = printed.get(entry.name)
        if found is None:
            faults.append(f"{entry.file}:{entry.line}: the program does not run {entry.name}")
            continue
        for (kind, text, number), line in zip(entry.printed(), found + [""] * len(entry.printed())):
            if text != line and kind == "error":
                faults.append(f"{entry.file}:{number}: {entry.name}: no test provokes the error text '{text}': the program prints '{line}'")
            elif text != line:
                faults.append(f"{entry.file}:{number}: {entry.name}: the printed result '{text}' is stale: the program prints '{line}'")
        for line in found[len(entry.printed()) :]:
            faults.append(f"{entry.file}:{entry.line}: {entry.name} does not show the printed line '{line}'")
    return faults
