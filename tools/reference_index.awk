# Checks the pages that are written by hand against those that are made. First file: elsewhere.hpp; then the pages of the reference; then
# index.md, whose links must lead somewhere, and to each page; then getting_started.md, whose tables must say the headers that there are.

FNR == 1 {
  page = FILENAME
  sub(/.*\//, "", page)
}
page == "elsewhere.hpp" {
  if (/\/\/ include </) {
    name = $0
    sub(/(\(\.\.\.\) = delete)?;( })?  \/\/ include <.*/, "", name)
    sub(/.* /, "", name)
    if ($0 ~ /^namespace tcp /) name = "tcp::" name
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
  while (match(rest, /`[a-z][a-z_0-9:]*`/)) {
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
  if (/^### /) headings[page "#" anchor_of(substr($0, 5))] = 1
  headings[page] = 1
  pages[page] = 1
  next
}
{
  rest = $0
  while (match(rest, /\]\([a-z_]+\.md(#[a-z_0-9]+)?\)/)) {
    link = substr(rest, RSTART + 2, RLENGTH - 3)
    if (!(link in headings)) say("there is no " link)
    sub(/#.*/, "", link)
    linked[link] = 1
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
    if (index(anchor_of(name), target) == 0) say("`" name "` is no name of " target)
    rest = substr(rest, RSTART + RLENGTH)
  }
}
# Where the heading of a name is found: colons do not count.
function anchor_of(name) { gsub(/:/, "", name); return name }
function say(what) { print FILENAME ":" FNR ": " what > "/dev/stderr"; failed = 1 }
END {
  for (page in pages) if (!(page in linked)) { print "index.md: no link leads to " page > "/dev/stderr"; failed = 1 }
  if (links == 0 || told == 0) say(links + 0 " links, " told + 0 " names in tables")
  exit failed
}
