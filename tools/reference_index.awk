# Checks docs/reference/index.md, the last file, against the pages, the others: what it links to must stand there.

FNR == 1 {
  page = FILENAME
  sub(/.*\//, "", page)
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
    if (!(link in headings)) { print "docs/reference/index.md:" FNR ": there is no " link > "/dev/stderr"; failed = 1 }
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
    if (index(name, target) == 0) {
      print "docs/reference/index.md:" FNR ": `" name "` is no name of " target > "/dev/stderr"
      failed = 1
    }
    rest = substr(rest, RSTART + RLENGTH)
  }
}
END {
  if (links < 60) { print "docs/reference/index.md: " links " links" > "/dev/stderr"; failed = 1 }
  exit failed
}
