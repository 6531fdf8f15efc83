# Checks the pages that are written by hand against those that are made. First file: elsewhere.hpp; then the pages of the reference; then
# index.md, whose links must lead somewhere; then getting_started.md, whose tables must say the headers that there are.

FNR == 1 {
  page = FILENAME
  sub(/.*\//, "", page)
}
page == "elsewhere.hpp" {
  if (/\/\/ include </) {
    name = $0
    sub(/(\(\.\.\.\) = delete)?;  \/\/ include <.*/, "", name)
    sub(/.* /, "", name)
    header_of[name] = $0
    sub(/.*\/\/ include </, "", header_of[name])
    sub(/>.*/, "", header_of[name])
  }
  next
}
page == "getting_started.md" {
  if (/^\| brought by/) table = "brought"
  else if (/^\| one include more/) table = "more"
  else if (!/^\|/) table = ""
  if (table == "" || /^\|---/) next
  split($0, cells, "|")
  rest = cells[2]
  while (match(rest, /`[a-z][a-z_0-9]*`/)) {
    name = substr(rest, RSTART + 1, RLENGTH - 2)
    rest = substr(rest, RSTART + RLENGTH)
    ++told
    file = header_of[name]
    sub(/.*\//, "", file)
    if (name == "complex") continue  # has no hint: see tools/reference.awk
    if ((table == "brought") != (file == "")) say("`" name "` is in the wrong table")
    else if (file != "" && cells[3] !~ ("[`/]" file "`")) say("`" name "` is in <" header_of[name] ">")
  }
  next
}
page != "index.md" {
  if (/^### /) headings[page "#" substr($0, 5)] = 1
  headings[page] = 1
  next
}
{
  rest = $0
  while (match(rest, /\]\([a-z_]+\.md(#[a-z_0-9]+)?\)/)) {
    link = substr(rest, RSTART + 2, RLENGTH - 3)
    if (!(link in headings)) say("there is no " link)
    rest = substr(rest, RSTART + RLENGTH)
    ++links
  }
  # The name that a link shows is the one that it leads to.
  rest = $0
  while (match(rest, /\[`[^`]*`\]\([a-z_]+\.md#[a-z_0-9]+\)/)) {
    link = substr(rest, RSTART, RLENGTH)
    name = target = link
    sub(/^\[`/, "", name)
    sub(/`.*/, "", name)
    sub(/.*#/, "", target)
    sub(/\)$/, "", target)
    if (index(name, target) == 0) say("`" name "` is no name of " target)
    rest = substr(rest, RSTART + RLENGTH)
  }
}
function say(what) { print FILENAME ":" FNR ": " what > "/dev/stderr"; failed = 1 }
END {
  if (links == 0 || told == 0) say(links + 0 " links, " told + 0 " names in tables")
  exit failed
}
