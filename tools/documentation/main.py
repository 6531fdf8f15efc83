"""Writes the reference from the headers, or checks it: tools/reference calls this.

    main.py write|check CATALOGUE [--printed FILE]    the pages, docs/ops.md and elsewhere.hpp; FILE is what the full entries printed
    main.py derived FILE                              the lines of use that follow from signatures, as blocks of C++
    main.py waiting CATALOGUE                         lists anew the parts that names lack
"""

import argparse
import glob
import os
import subprocess
import sys

import contents
import declarations
import elsewhere
import links
import ops_page
import selection
import shown
import waiting
from pages import Pages
from uses import Uses

UMBRELLA = "flowgraph/flowgraph.hpp"
ARGUMENTS = ["-std=c++20", "-DFLOWGRAPH_COMPILED", "-Iinclude", "-resource-dir"]


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_headers():
    paths = sorted(p.removeprefix("include/") for p in glob.glob("include/flowgraph/**/*.hpp", recursive=True))
    folder = subprocess.run(["clang++-16", "-print-resource-dir"], check=True, capture_output=True, text=True).stdout.strip()
    return declarations.read("include", [p for p in paths if selection.is_read(p)], ARGUMENTS + [folder])


def read_uses():
    uses = Uses()
    for path in sorted(glob.glob("tests/reference/uses/*.hpp")):
        uses.read(text_of(path))
    for path in sorted(glob.glob("tests/ops/**/*.cpp", recursive=True)):
        uses.read_test(text_of(path))
    return uses


def read_shown():
    entries, faults = [], []
    for path in sorted(glob.glob("tests/reference/shown/*.hpp")):
        found, bad = shown.read(path, text_of(path))
        entries += found
        faults += bad
    return entries, faults


def texts_of_guide():
    paths = ["README.md"] + sorted(glob.glob("docs/*.md")) + sorted(glob.glob("examples/**/*.cpp", recursive=True))
    return [text_of(p) for p in paths if p != "docs/ops.md"]


class Reference:
    """All that is made, by its path, and what is missing."""

    def __init__(self, catalogue):
        headers = read_headers()
        brought = elsewhere.brought_by({h.path: h for h in headers}, UMBRELLA)
        self.uses = read_uses()
        entries, self.faults = read_shown()
        self.entries = entries
        self.pages = Pages(headers, self.uses, entries, catalogue, brought, contents.read(text_of("tools/documentation/contents.txt")))
        written = self.pages.write()
        ops, lacks = ops_page.write(catalogue, headers)
        hints = elsewhere.write(headers, brought)
        self.files = {f"docs/reference/{name}.md": text for name, text in written.items()}
        self.files |= {"docs/ops.md": ops, "include/flowgraph/elsewhere.hpp": hints}
        self.lacking = self.pages.lacks + waiting.missing_entries(self.pages, texts_of_guide())
        lacks += links.check_pages(written, ops, text_of("docs/reference/index.md"))
        lacks += links.check_tables(hints, text_of("docs/getting_started.md"))
        lacks += waiting.check(self.lacking, text_of(waiting.LIST).splitlines())
        self.faults += [f"{where}: {what}" for where, what in lacks]


def stale(files):
    faults = [path for path, text in files.items() if not os.path.exists(path) or text_of(path) != text]
    others = set(glob.glob("docs/reference/*.md")) - set(files) - {"docs/reference/index.md"}
    return [f"{path} is stale: run tools/reference" for path in sorted(faults)] + [f"{path} belongs to no folder" for path in sorted(others)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["write", "check", "derived", "waiting"])
    parser.add_argument("file")
    parser.add_argument("--printed")
    given = parser.parse_args()
    catalogue = {} if given.action == "derived" else ops_page.read_catalogue(text_of(given.file))
    made = Reference(catalogue)
    if given.action == "derived":
        with open(given.file, "w", encoding="utf-8") as file:
            file.write("".join(block + "\n" for block in made.uses.derived))
        return 0
    if given.action == "waiting":
        with open(waiting.LIST, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in waiting.lines_of(made.lacking)))
        return 0
    faults = made.faults
    if given.printed:
        faults += shown.compare(made.entries, text_of(given.printed))
    if given.action == "check":
        faults += stale(made.files)
    else:
        for path, text in made.files.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        print(f"docs/reference: {len(made.pages.entries)} entries, {len(made.entries)} of them full, {len(waiting.lines_of(made.lacking))} parts wait")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
