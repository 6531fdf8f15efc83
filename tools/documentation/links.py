"""Checks the pages that are written by hand against those that are made: links, names and tables of headers."""

import re

from pages import anchor_of


def anchors_of(text):
    found = {anchor_of(h.replace("`", "")) for h in re.findall(r"^#+ (.*)$", text, re.M)}
    return found | set(re.findall(r'<a id="([^"]*)"></a>', text))


def links_in(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.findall(r"\[([^\[\]]*)\]\(([^()\s]+)\)", text)


def check_pages(pages, ops, index):
    """Every link of the pages leads somewhere, the index leads to every page, and it calls things by their names."""
    faults = []
    anchors = {f"{name}.md": anchors_of(text) for name, text in pages.items()}
    anchors["../ops.md"] = anchors_of(ops)
    anchors["index.md"] = anchors_of(index)
    linked = set()
    for name, text in [("index", index), *pages.items()]:
        for shown, link in links_in(text):
            page, _, anchor = link.partition("#")
            page = page or f"{name}.md"
            if name == "index":
                linked.add(page)
            if page not in anchors:
                if not page.startswith("../"):
                    faults.append((f"{name}.md", f"there is no {link}"))
                continue
            if anchor and anchor not in anchors[page]:
                faults.append((f"{name}.md", f"there is no {link}"))
            if name == "index" and anchor and shown.startswith("`") and anchor not in anchor_of(shown.strip("`")):
                faults.append(("index.md", f"{shown} is no name of {anchor}"))
    for page in sorted(set(anchors) - linked - {"index.md"}):
        faults.append(("index.md", f"no link leads to {page}"))
    for _, link in links_in(ops):
        page, _, anchor = link.removeprefix("reference/").partition("#")
        if page in anchors and anchor not in anchors[page]:
            faults.append(("ops.md", f"there is no {link}"))
    return faults


def check_tables(elsewhere, getting_started):
    """The tables of docs/getting_started.md say the headers that there are."""
    header_of = {}
    for line in elsewhere.split("\n"):
        found = re.match(r"(namespace tcp \{ )?.*?([a-z_0-9]+)(?:\(\.\.\.\) = delete)?;(?: \})?  // include <([^>]*)>", line)
        if found:
            header_of[("tcp::" if found.group(1) else "") + found.group(2)] = found.group(3)
    faults, table, told = [], "", 0
    for number, line in enumerate(getting_started.split("\n"), 1):
        if line.startswith("| functions in `flowgraph.hpp`"):
            table = "brought"
        elif line.startswith("| functions in other headers"):
            table = "more"
        elif not line.startswith("|"):
            table = ""
        if not table or line.startswith("|---"):
            continue
        cells = line.split("|")
        for name in re.findall(r"`([a-z][a-z_0-9:]*)`", cells[1]):
            told += 1
            path = header_of.get(name, "")
            where = f"getting_started.md:{number}"
            if name == "complex":
                continue  # has no hint: see elsewhere.py
            if (table == "brought") != (path == ""):
                faults.append((where, f"`{name}` is in the wrong table"))
            elif path and not re.search("[`/]" + path.split("/")[-1] + "`", cells[2]):
                faults.append((where, f"`{name}` is in <{path}>"))
    if not told:
        faults.append(("getting_started.md", "its tables name nothing"))
    return faults
