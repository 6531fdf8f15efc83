# Writes docs/ops.md. First file: the catalogue's lines, what the registry says of each op. Second: what tools/declarations.awk prints.

BEGIN { FS = "\t" }

FNR == 1 { ++file }
file == 1 {
  names[++count] = $1
  types[$1] = $2
  attributes[$1] = $3
  gradient[$1] = $4
  next
}

$1 == "family" { family[$2] = $3 }
# A training op is one struct over its forms: names are put together.
$1 == "type" && $6 ~ /^\*/ {
  for (i = split("Apply SparseApply ResourceApply ResourceSparseApply", forms, " "); i; --i) describe(forms[i] substr($6, 2), $2, "", $5)
}
$1 == "type" && $6 != "" && $6 !~ /^\*/ && $2 ~ /\/ops\// { describe($6, $2, $3, $5) }
function describe(name, path, struct, about) {
  header[name] = path
  meaning[name] = first_sentence(about)
  if (struct != "") { structs[name] = struct; of_struct[struct] = name }
}
$1 == "function" && $2 ~ /\/ops\// && !($2 ~ /operators.hpp/) {
  for (i = split($6, used, " "); i; --i)
    if (header[of_struct[used[i]]] == $2 && (!(used[i] in function_of) || length($3) < length(function_of[used[i]]))) { function_of[used[i]] = $3; page[used[i]] = page_of($2) }
}
function page_of(path) { sub(/^flowgraph\/ops\//, "", path); sub(/\/.*/, "", path); return path }

function first_sentence(text,    end) {
  gsub(/\|/, "\\|", text)
  gsub(/</, "\\&lt;", text)
  end = match(text, /\.( |$)/)
  return end ? substr(text, 1, end) : text
}
# The function that makes the op, or its struct for fg::apply.
function called(name,    s) {
  s = structs[name]
  if (s in function_of && !is_inner(function_of[s])) return "[`" function_of[s] "`](reference/" page[s] ".md#" function_of[s] ")"
  return s == "" ? "" : "`" s "`"
}
# Functions for the gradients of the library's own ops stand in no page.
function is_inner(f) { return f ~ /_grad(_|$)|_backprop_|_gradient|^cast_to$|^repeated_bias$|^pad_like$|^concat_parts$|^sum_of_tiles$/ }

END {
  print "# The ops"
  print ""
  print "Made by `tools/reference` from the registry and the headers. Names, attributes and defaults are TensorFlow's. An op is made by the"
  print "function beside it, or by `fg::apply` of the struct: `fg::apply(fg::reverse_op{}, x, dims)`. A header that `flowgraph.hpp` does not"
  print "bring is one include more; `ops/all.hpp` has them all. A struct has the name of its op in snake case: `mat_mul_op` is `MatMul`. Lists of"
  print "element types are those of `core/type.hpp`."
  for (i = 1; i <= count; ++i) {
    h = header[names[i]]
    if (h == "") { print "no header declares the op " names[i] > "/dev/stderr"; failed = 1; continue }
    if (meaning[names[i]] == "") { print h ": the op " names[i] " has no comment that says what it does" > "/dev/stderr"; failed = 1 }
    if (!(h in listed)) { listed[h] = 1; headers[++header_count] = h }
    rows[h] = rows[h] "| `" names[i] "` | " called(names[i]) " | " types[names[i]] " | " attributes[names[i]] " | " gradient[names[i]] " | " meaning[names[i]] " |\n"
  }
  sort_headers()
  for (i = 1; i <= header_count; ++i) {
    h = headers[i]
    print "\n## `" h "`\n\n" family[h] "\n"
    print "| op | function or struct | element types | attributes | gradient | |"
    print "|---|---|---|---|---|---|"
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
