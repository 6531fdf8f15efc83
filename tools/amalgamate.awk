# Prints include/flowgraph/flowgraph.hpp, and after it the headers that `further` names, with every <flowgraph/...> include replaced, once,
# by the header itself, and every other unconditional include kept where it comes first. `#ifdef FLOWGRAPH_HEADER_ONLY` and
# `#ifdef FLOWGRAPH_BODIES` always hold here, so they are no conditions.
# A header of ours that is included under any other condition must be included in that place alone.

BEGIN {
  expand("flowgraph/flowgraph.hpp", 0)
  count = split(further, headers, " ")
  for (n = 1; n <= count; ++n)
    if (!(headers[n] in seen)) expand(headers[n], 0)
}

# `conditions`: how many conditions hold the current line back.
function expand(header, conditions,    path, line, number, name, depth, condition) {
  seen[header] = 1
  conditional[header] = conditions > 0
  path = "include/" header
  print "\n// ---- " header
  depth = 0
  while ((status = getline line < path) > 0) {
    ++number
    if (line ~ /^[ \t]*#[ \t]*if/) {
      ++depth
      condition[depth] = line !~ /^[ \t]*#[ \t]*ifdef[ \t]+FLOWGRAPH_(HEADER_ONLY|BODIES)[ \t]*$/
      conditions += condition[depth]
    } else if (line ~ /^[ \t]*#[ \t]*el/) {
      conditions += !condition[depth]
      condition[depth] = 1
    } else if (line ~ /^[ \t]*#[ \t]*endif/) {
      conditions -= condition[depth]
      --depth
    } else if (line ~ /^[ \t]*#[ \t]*pragma[ \t]+once/) {
      continue
    } else if (line ~ /^[ \t]*#[ \t]*include/) {
      if (line !~ /<[^>]+>/) fail(path, number, "an include that is not rooted")
      name = line
      sub(/^[^<]*</, "", name)
      sub(/>.*$/, "", name)
      if (name ~ /^flowgraph\// && name !~ /^flowgraph\/(user_config|table_sources)\.hpp$/) {
        if (!(name in seen)) expand(name, conditions)
        else if (conditional[name] && name != header) fail(path, number, "<" name "> stands under a condition elsewhere")
        continue
      }
      if (name in seen) continue
      if (!conditions) seen[name] = 1
    }
    print line
  }
  if (status < 0) fail(path, number, "cannot be read")
  close(path)
}

function fail(path, number, why) {
  printf "%s:%d: %s\n", path, number, why > "/dev/stderr"
  exit 1
}
