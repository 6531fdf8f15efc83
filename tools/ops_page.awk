# First file: the catalogue's lines. Then the headers of ops: which of them declares an op, and the comment on its struct.

BEGIN { FS = "\t" }

FNR == 1 { ++file }
file == 1 {
  names[++count] = $1
  types[$1] = $2
  attributes[$1] = $3
  gradient[$1] = $4
  next
}

FNR == 1 {
  about = ""
  remark = ""
  path = FILENAME
  sub(/^include\//, "", path)
}
# The comment on top of a header says what its family is.
/^\/\/ / && FNR == 2 { family[path] = substr($0, 4) }
/^\/\/ / { remark = remark (remark == "" ? "" : " ") substr($0, 4); next }
/^template/ { next }
/^struct [a-z0-9_]+/ { about = remark; remark = ""; next }
/std::string_view name = "/ {
  name = $0
  sub(/.*name = "/, "", name)
  sub(/".*/, "", name)
  # An op that stands right behind another one shares its comment.
  header[name] = path
  meaning[name] = first_sentence(about)
  next
}
# One struct over its forms: names are put together.
/template name<"/ {
  name = $0
  sub(/.*template name<"/, "", name)
  sub(/".*/, "", name)
  for (i = 1; i <= split("Apply SparseApply ResourceApply ResourceSparseApply", forms, " "); ++i) {
    header[forms[i] name] = path
    meaning[forms[i] name] = first_sentence(about)
  }
  next
}
{ remark = "" }

function first_sentence(text,    end) {
  gsub(/\|/, "\\|", text)
  gsub(/</, "\\&lt;", text)
  end = match(text, /\.( |$)/)
  return end ? substr(text, 1, end) : text
}

END {
  print "# The ops"
  print ""
  print "Made by `tools/ops_page` from the registry and the headers. Names, attributes and defaults are TensorFlow's. A header that"
  print "`flowgraph.hpp` does not bring is one include more; `ops/all.hpp` has them all. Lists of element types are those of `core/type.hpp`."
  for (i = 1; i <= count; ++i) {
    h = header[names[i]]
    if (h == "") { print "no header declares the op " names[i] > "/dev/stderr"; failed = 1; continue }
    if (meaning[names[i]] == "") { print h ": the op " names[i] " has no comment that says what it does" > "/dev/stderr"; failed = 1 }
    if (!(h in listed)) { listed[h] = 1; headers[++header_count] = h }
    rows[h] = rows[h] "| `" names[i] "` | " types[names[i]] " | " attributes[names[i]] " | " gradient[names[i]] " | " meaning[names[i]] " |\n"
  }
  sort_headers()
  for (i = 1; i <= header_count; ++i) {
    h = headers[i]
    print "\n## `" h "`\n\n" family[h] "\n"
    print "| op | element types | attributes | gradient | |"
    print "|---|---|---|---|---|"
    printf "%s", rows[h]
  }
  exit failed
}

function sort_headers(    i, j, h) {
  for (i = 2; i <= header_count; ++i) {
    h = headers[i]
    for (j = i - 1; j > 0 && headers[j] > h; --j) headers[j + 1] = headers[j]
    headers[j + 1] = h
  }
}
