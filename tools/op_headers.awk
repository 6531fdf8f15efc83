# Of headers of ops: a line an op, its name and the header that declares it, apart by a tab.

FNR == 1 { path = FILENAME; sub(/^.*include\/flowgraph\//, "flowgraph/", path) }
/^ *\/\// { next }
/std::string_view name = "/ {
  name = $0
  sub(/.*name = "/, "", name)
  sub(/".*/, "", name)
  print name "\t" path
}
/template name<"/ {
  name = $0
  sub(/.*template name<"/, "", name)
  sub(/".*/, "", name)
  forms = split("Apply SparseApply ResourceApply ResourceSparseApply", form, " ")
  for (i = 1; i <= forms; ++i) print form[i] name "\t" path
}
