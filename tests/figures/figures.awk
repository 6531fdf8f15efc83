# The figures of pages that docs/figures.txt does not have, "file:line: figure", then its figures that no page has, "name: figure".
# Arguments: docs/figures.txt, limits.txt, the pages. A figure is a number with a unit of time or size, or a ratio ("1.78 x", "2.9 times");
# in a table, also a cell that is a number with decimals. Fenced code and targets of links have none; output that is
# indented by four blanks does.

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function normal(s) { sub(/ times$/, " x", s); sub(/ seconds?$/, " s", s); return s }

# Reports the figures of one text; `seen` are those that some page has.
function look(text,    figure, rest, cells, n, i) {
  rest = " " text " "
  while (match(rest, /[^0-9A-Za-z.,^][0-9]+(,[0-9][0-9][0-9])*(\.[0-9]+)? (us|ns|ms|s|KB|MB|GB|x|times|seconds?)[^0-9A-Za-z]/)) {
    figure = normal(substr(rest, RSTART + 1, RLENGTH - 2))
    # "96 x 96" is a shape.
    if (!(figure ~ / x$/ && substr(rest, RSTART + RLENGTH) ~ /^[0-9]/)) report(figure, figure in known)
    rest = substr(rest, RSTART + RLENGTH - 1)
  }
  if (text !~ /^\|/) return
  n = split(text, cells, "|")
  for (i = 2; i < n; ++i) if (trim(cells[i]) ~ /^[0-9]+\.[0-9]+$/) report(trim(cells[i]), trim(cells[i]) in number)
}

function report(figure, is_known) {
  seen[figure] = 1
  if (!is_known && !((page, figure) in limit)) print page ":" FNR ": " figure
  else if ((page, figure) in limit) used[page, figure] = 1
}

FNR == 1 { ++file; page = FILENAME; code = 0 }
file <= 2 && (/^#/ || /^[ \t]*$/) { next }
file == 1 {
  if (split($0, field, "|") != 5) print FILENAME ":" FNR ": not name | figures | date | machine | command"
  if (trim(field[1]) in named) print FILENAME ":" FNR ": the name is there twice"
  named[trim(field[1])] = 1
  n = split(field[2], list, /, /)
  for (i = 1; i <= n; ++i) {
    figure = trim(list[i])
    if (figure !~ /^[0-9][0-9,]*(\.[0-9]+)? (us|ns|ms|s|KB|MB|GB|x)$/) print FILENAME ":" FNR ": not a figure: " figure
    if (!(figure in known)) all[++figures] = figure
    known[figure] = trim(field[1])
    number[substr(figure, 1, index(figure, " ") - 1)] = 1
  }
  next
}
file == 2 {  # page | figure | reason
  split($0, field, "|")
  if (trim(field[3]) == "") print FILENAME ":" FNR ": no reason"
  limit[trim(field[1]), trim(field[2])] = 1
  limits[++limit_count] = trim(field[1]) SUBSEP trim(field[2])
  next
}
/^```/ { code = !code; next }
!code { gsub(/\]\([^)]*\)/, "]"); look($0) }

END {
  for (i = 1; i <= figures; ++i) {
    value = substr(all[i], 1, index(all[i], " ") - 1)
    if (!(all[i] in seen) && !(value in seen)) print known[all[i]] ": no page has " all[i]
  }
  for (i = 1; i <= limit_count; ++i) if (!(limits[i] in used)) {
    split(limits[i], part, SUBSEP)
    print part[1] ": no longer has the limit " part[2]
  }
}
