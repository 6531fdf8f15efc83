# Dead links of pages: "file:line: no file TARGET" or "file:line: no heading TARGET". Arguments are the pages, from the
# root of the tree; all are read before the links are checked. Anchors are made as GitHub makes them.

function anchor(heading) {
  gsub(/\[|\]\([^)]*\)|`|\*/, "", heading)
  heading = tolower(heading)
  gsub(/[^a-z0-9_ -]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}
# "docs/a/../b.md" as "docs/b.md".
function normal(path) {
  while (sub(/[^\/]+\/\.\.(\/|$)/, "", path)) continue
  sub(/\/$/, "", path)
  return path == "" ? "." : path
}
function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /[^\/]*$/) - 1) : "" }

FNR == 1 { code = 0 }
/^ *```/ { code = !code; next }
code { next }
/^#+ / {
  name = $0
  sub(/^#+ */, "", name)
  name = anchor(name)
  count = headings[FILENAME, name]++
  if (count) headings[FILENAME, name "-" count] = 1
}
{
  text = $0
  while (match(text, /<a id="[^"]*"/)) {
    headings[FILENAME, substr(text, RSTART + 7, RLENGTH - 8)] = 1
    text = substr(text, RSTART + RLENGTH)
  }
  text = $0
  gsub(/`[^`]*`/, "", text)
  while (match(text, /\]\([^) ]+\)/)) {
    target = substr(text, RSTART + 2, RLENGTH - 3)
    text = substr(text, RSTART + RLENGTH)
    if (target !~ /^[a-z]+:/) { page[++links] = FILENAME; line[links] = FNR; to[links] = target }
  }
}
function missing(path) {
  if (!(path in absent)) absent[path] = system("test -e '" path "'")
  return absent[path]
}

END {
  for (i = 1; i <= links; ++i) {
    split(to[i], part, "#")
    path = part[1] == "" ? page[i] : normal(folder(page[i]) part[1])
    if (missing(path)) print page[i] ":" line[i] ": no file " to[i]
    else if (part[2] != "" && !((path, part[2]) in headings)) print page[i] ":" line[i] ": no heading " to[i]
  }
}
