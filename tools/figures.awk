# docs/figures.txt with the figures of rows that tools/gates or tools/bench printed. Arguments: the rows, the file. Variables: date,
# machine, command. A row of a name that the file does not have is left out.

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function add(name, figure) { if (index(", " figures[name] ", ", ", " figure ", ") == 0) figures[name] = figures[name] (figures[name] ? ", " : "") figure }

# The figures of a text such as "compiled 2.4 MB, 13.4 s".
function add_all(name, text,    figure) {
  sub(/U = [0-9.]+ s/, "", text)  # the unit of the gates is a row of its own in the file
  while (match(text, /[0-9]+(,[0-9][0-9][0-9])*(\.[0-9]+)? (us|ns|ms|s|KB|MB|GB|x)([^0-9A-Za-z]|$)/)) {
    figure = substr(text, RSTART, RLENGTH)
    sub(/[^A-Za-z]$/, "", figure)
    add(name, figure)
    text = substr(text, RSTART + RLENGTH)
  }
}
# The last word of a cell such as "prepared     16.2", with its unit.
function add_value(name, cell, unit,    word, n) {
  n = split(trim(cell), word, /[ \t]+/)
  if (word[n] ~ /^[0-9.]+$/) add(name, word[n] " " unit)
}

FILENAME != ARGV[2] {
  n = split($0, field, "|")
  name = trim(field[1])
  if (n < 3) next
  if (field[n] ~ /^ *(held|NOT HELD) *$/) { add_all(name, field[3]); next }
  unit = trim(field[2])
  sub(/\/.*/, "", unit)
  if (unit !~ /^(us|ns|ms|s)$/) next
  add_value(name, field[3], unit)
  if (n > 4) { add_value(name, field[4], unit); add_all(name, field[5]) }
  next
}
{
  split($0, field, "|")
  name = trim(field[1])
  if (/^#/ || !(name in figures)) print
  else print name " | " figures[name] " | " date " | " machine " | " command
}
