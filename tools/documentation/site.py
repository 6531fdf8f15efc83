"""Lays out the sources of the site in a folder, with mkdocs.yml. Argument: the folder.

README.md is its first page; docs/ and the programs of examples/ keep their places, so that links need no change.
"""

import glob
import os
import re
import shutil
import sys

import contents

PROJECT = ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
SETTINGS = """site_name: flowgraph
docs_dir: pages
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.tabs, navigation.indexes, navigation.top, search.highlight, search.suggest]
plugins: [search]
markdown_extensions:
  - tables
  - toc: {permalink: true, toc_depth: 4}
  - pymdownx.highlight
  - pymdownx.superfences
"""


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def copy(path, pages):
    """A page or a program. GitHub's Markdown needs no blank line in front of a list or a table; this one needs it."""
    target = f"{pages}/{path}"
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not path.endswith(".md"):
        shutil.copyfile(path, target)
        return
    text = re.sub(r"(\]\([a-z_/.]*\bdecisions)/?\)", r"\1/index.md)", text_of(path))
    with open(target, "w", encoding="utf-8") as file:
        file.write(with_blank_lines(text))


def with_blank_lines(text):
    made, in_code = [], False
    for line in text.split("\n"):
        in_code ^= line.startswith("```")
        begins = re.match(r"(- |\d+\. |\|)", line)
        if begins and not in_code and made and made[-1].strip() and not re.match(r"(\s*- |\s*\d+\. |\||  )", made[-1]):
            made.append("")
        made.append(line)
    return "\n".join(made)


def title_of(path):
    found = re.search(r"^# (.*)$", text_of(path), re.M)
    return found.group(1) if found else path


def listed(title, paths):
    return f"  - {title}:\n" + "".join(f"    - {path}\n" for path in paths)


def write_index_of_decisions(pages, paths):
    with open(f"{pages}/docs/decisions/index.md", "w", encoding="utf-8") as file:
        file.write("# Decisions\n\n" + "".join(f"- [{title_of(p)}]({os.path.basename(p)})\n" for p in paths))


def main():
    folder = sys.argv[1]
    pages = f"{folder}/pages"
    files = [p for p in glob.glob("docs/**/*", recursive=True) + glob.glob("examples/**/*", recursive=True) if os.path.isfile(p)]
    for path in files + PROJECT + ["LICENSE", "README.md"]:
        copy(path, pages)
    named = [p for p in re.findall(r"\]\((docs/[a-z_]+\.md)", text_of("README.md")) if p != "docs/ops.md"]
    guide = list(dict.fromkeys(named + sorted(p for p in glob.glob("docs/*.md") if p != "docs/ops.md")))
    order = [f"docs/reference/{page.name}.md" for page in contents.read(text_of("tools/documentation/contents.txt"))]
    reference = ["docs/reference/index.md"] + [p for p in order if os.path.exists(p)] + ["docs/ops.md"]
    decisions = sorted(glob.glob("docs/decisions/*.md"))
    write_index_of_decisions(pages, decisions)
    examples = ["examples/README.md"] + sorted(glob.glob("examples/*/README.md"))
    navigation = "nav:\n  - README.md\n" + listed("Guide", guide) + listed("Reference", reference)
    navigation += listed("Examples", examples) + listed("Decisions", ["docs/decisions/index.md"] + decisions) + listed("Project", PROJECT)
    with open(f"{folder}/mkdocs.yml", "w", encoding="utf-8") as file:
        file.write(SETTINGS + navigation)


if __name__ == "__main__":
    main()
