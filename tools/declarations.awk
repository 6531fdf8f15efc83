# Reads headers and prints what they declare for users, a line a declaration, fields apart by tabs:
#
#   header    PATH  INCLUDED...                      what the header includes of the library
#   family    PATH  COMMENT                          the comment on top of the header, without its examples
#   function  PATH  NAME  SIGNATURE  COMMENT  OPS    a function in namespace flowgraph; OPS are the op structs that its body names
#   type      PATH  NAME  KIND  COMMENT  OP  HEAD    a struct, class or enum; OP is its op's name where it is one; HEAD its template parameters
#   member    PATH  TYPE  NAME  DECLARATION  DEFAULT  COMMENT
#   method    PATH  TYPE  NAME  SIGNATURE  COMMENT
#
# Left out: namespaces inside of flowgraph, private members, what is defined out of its class, and what is deprecated. What stands in
# flowgraph::tcp is shown, by its name there.

function flush_file() {
  if (path == "") return
  print "family\t" path "\t" family
  print "header\t" path "\t" includes
}

FNR == 1 {
  flush_file()
  path = FILENAME
  sub(/^include\//, "", path)
  family = includes = declaration = remark = remark_of = body = ""
  space = ""
  on_top = 1
  depth = paren = 0
  level[0] = "outside"
}

/^#include <flowgraph\// {
  name = $2
  gsub(/[<>]/, "", name)
  includes = includes (includes == "" ? "" : " ") name
}
/^#/ { if (FNR > 1 && !/^#pragma/) on_top = 0; in_macro = /\\$/; next }
in_macro { in_macro = /\\$/; next }
# A macro that stands for declarations, which are said where it is defined.
/^ *FLOWGRAPH_[A-Z_]+$/ { next }

{
  line = $0
  # The comment on top: paragraphs as they are, no code.
  if (on_top && /^\/\//) {
    text = substr(line, 4)
    if (text !~ /^ / && text != "") family = family (family == "" ? "" : " ") text
    next
  }
  if (line ~ /^[ \t]*$/) {
    if (level[depth] != "body") remark = remark_of = ""
    if (FNR > 1) on_top = 0
    next
  }
  comment = ""
  code = without_comment(line)
  if (code ~ /^[ \t]*$/) {
    if (level[depth] == "library" || level[depth] == "class" || level[depth] == "enum") {
      if (remark_of != "" || declaration != "") remark = remark_of = ""
      remark = remark (remark == "" ? "" : " ") comment
    }
    next
  }
  scan(code)
  # What a member is, behind it.
  if (comment != "" && last_member != "") { held_comment = comment; release_member() }
  else if (last_member != "") release_member()
}

END { flush_file() }

# The line without strings' contents and without its comment, which goes to `comment`.
function without_comment(text,    at, c, quoted, made) {
  made = ""
  quoted = ""
  for (at = 1; at <= length(text); ++at) {
    c = substr(text, at, 1)
    if (quoted != "") {
      if (c == "\\") { made = made c substr(text, ++at, 1); continue }
      if (c == quoted) quoted = ""
      else if (index("{}();", c)) c = "\001"  # no bracket
    } else if (c == "\"" || (c == "'" && substr(text, at - 1, 1) !~ /[0-9]/)) quoted = c
    else if (substr(text, at, 2) == "//") {
      comment = substr(text, at + 2)
      sub(/^ /, "", comment)
      return made
    }
    made = made c
  }
  return made
}

function scan(code,    at, c) {
  for (at = 1; at <= length(code); ++at) {
    c = substr(code, at, 1)
    if (level[depth] == "hidden" || level[depth] == "body") {
      if (level[depth] == "body") body = body c
      if (c == "{") ++inner
      if (c == "}" && inner-- == 0) {
        if (level[depth--] == "body") end_function()
        declaration = ""
      }
      continue
    }
    if (level[depth] == "value" || level[depth] == "enum") {
      declaration = declaration c
      if (c == "{") ++inner
      if (c == "}" && inner-- == 0) --depth
      continue
    }
    if (c == "(") ++paren
    if (c == ")") --paren
    if (paren > 0) { declaration = declaration c; continue }
    if (c == "{") open_brace()
    else if (c == "}") close_brace()
    else if (c == ";") end_declaration()
    else if (c == ":" && level[depth] == "class" && declaration ~ /^[ ]*(public|private|protected)$/) {
      access = declaration
      gsub(/ /, "", access)
      declaration = ""
    } else declaration = declaration c
  }
  declaration = declaration ~ /^ *$/ ? "" : declaration " "
  if (level[depth] == "body") body = body " "
}

function push(what) { level[++depth] = what; inner = 0 }

function open_brace(    head) {
  head = trimmed(declaration)
  if (head ~ /(^| )namespace/) {
    if (level[depth] == "library" && head == "namespace tcp") {
      space = "tcp::"
      space_depth = depth + 1
      push("library")
    } else push(head ~ /namespace (flowgraph|FLOWGRAPH_ABI)/ ? "library" : level[depth] == "outside" ? "outside" : "hidden")
    declaration = ""
  } else if (head ~ /^extern /) { push("outside"); declaration = "" }
  else if (level[depth] == "outside") push("hidden")
  else if (without_template(head) ~ /^(struct|class|union) / && level[depth] == "library" && without_template(head) !~ /\(/) open_type(head)
  else if (without_template(head) ~ /^enum /) { push("enum"); declaration = declaration "{" }
  else if (without_template(head) ~ /^(struct|class|union) /) push("hidden")
  else if (without_values(head) ~ /\(/ || head ~ /requires/ && head ~ /\)$/) { push("body"); body = "" }
  else { push("value"); declaration = declaration "{" }
}

function close_brace() {
  if (level[depth] == "class") {
    print "type\t" path "\t" type "\t" type_kind "\t" type_comment "\t" type_op "\t" type_head
    type = ""
    remark = remark_of = ""
  } else if (depth == space_depth) space = ""
  declaration = ""
  --depth
}

function open_type(head,    name) {
  name = without_template(head)
  type_kind = name ~ /^class / ? "class" : "struct"
  sub(/^(struct|class|union) (\[\[[a-z]+\]\] )?/, "", name)
  sub(/ (final )?:( .*)?$/, "", name)
  sub(/ :.*$/, "", name)
  type_comment = remark
  type_head = template_head(head)
  type_op = ""
  access = type_kind == "class" ? "private" : "public"
  if (name ~ /^[a-z_]+</ && name !~ /::/ && type_kind == "class") sub(/<.*/, "", name)  # a specialization; of a class it may be all there is
  if (name ~ /</ || name ~ /::/ || (path, space name) in types_seen) { push("hidden"); declaration = ""; return }
  types_seen[path, space name] = 1
  type = space name
  push("class")
  remark = remark_of = ""
  declaration = ""
}

function end_function() {
  report_function(declaration, body)
  declaration = body = ""
}

function end_declaration(    text, name, kind) {
  text = trimmed(declaration)
  declaration = ""
  if (level[depth] == "class" && text ~ /string_view name = "/) {
    type_op = text
    sub(/.*name = "/, "", type_op)
    sub(/".*/, "", type_op)
    return
  }
  if (level[depth] == "class" && text ~ /template name</) {
    type_op = text
    sub(/.*template name<"/, "*", type_op)
    sub(/".*/, "", type_op)
    return
  }
  if (text == "" || text ~ /^(friend|static_assert|extern) / || text ~ /^static_assert/) return
  if (level[depth] == "library" && without_template(text) ~ /^enum /) {
    name = without_template(text)
    sub(/^enum (class |struct )?/, "", name)
    if (name !~ /\{/) return
    kind = name
    sub(/[ :{].*/, "", name)
    sub(/^[^{]*\{ */, "", kind)
    sub(/,? *\}.*/, "", kind)
    print "type\t" path "\t" space name "\tenum\t" remark "\t"
    print "member\t" path "\t" space name "\t" name "\t" kind "\t\t"
    remark = remark_of = ""
    return
  }
  if (without_template(text) ~ /^(using|struct|class|union|enum|typedef) /) return
  if (without_values(text) ~ /\(/) { report_function(text, ""); return }
  if (level[depth] == "class" && access == "public" && text !~ /^(static|constexpr|inline) /) hold_member(text)
}

# A data member; its comment may still follow on its line.
function hold_member(text) {
  last_member = text
  held_comment = remark
  remark = remark_of = ""
}
function release_member(    parts, n, i, kind, name, value) {
  value = ""
  kind = last_member
  last_member = ""
  sub(/^mutable /, "", kind)
  n = top_level_parts(kind, parts)
  for (i = 1; i <= n; ++i) {
    name = trimmed(parts[i])
    value = ""
    if (match(name, /( = |\{)/)) {
      value = substr(name, RSTART)
      name = trimmed(substr(name, 1, RSTART - 1))
      sub(/^ = /, "", value)
    }
    if (i == 1) {
      if (!match(name, /[A-Za-z0-9_]+(\[[^]]*\])?$/)) return
      kind = trimmed(substr(name, 1, RSTART - 1))
      name = substr(name, RSTART)
    }
    print "member\t" path "\t" type "\t" name "\t" kind "\t" value "\t" held_comment
  }
}
# Parts between commas that no bracket holds.
function top_level_parts(text, parts,    at, c, n, open) {
  n = 1
  parts[1] = ""
  open = 0
  for (at = 1; at <= length(text); ++at) {
    c = substr(text, at, 1)
    if (index("<({[", c)) ++open
    if (index(">)}]", c)) --open
    if (c == "," && open == 0) parts[++n] = ""
    else parts[n] = parts[n] c
  }
  return n
}

function report_function(text, inside,    head, name, signature, comment_of, ops, before) {
  text = trimmed(text)
  if (text ~ /(^| )operator/ && text !~ /operator\(\)/) return
  if (text ~ /^,/ || text ~ /= delete$/ || text ~ /= default$/ || text ~ /(^| )friend / || text ~ /~/) return
  if (text ~ /(^| )\[\[deprecated/) return
  if (level[depth] == "class" && access != "public") return
  head = template_head(text)
  signature = without_template(text)
  gsub(/FLOWGRAPH_[A-Z_]+ /, "", signature)
  gsub(/\[\[[a-z]+(\("[^"]*"\))?\]\] /, "", signature)
  is_static = level[depth] == "class" && signature ~ /^((inline|constexpr) )*static /
  while (sub(/^(inline|constexpr|explicit|static|virtual|friend) /, "", signature)) {}
  name = signature
  if (name ~ /operator\(\)/) name = "operator()"
  else {
    sub(/\(.*/, "", name)
    sub(/.*[^A-Za-z0-9_:]/, "", name)
  }
  if (name ~ /::/ || name == "" || signature ~ /^[A-Z_]+\(/) return
  signature = cut_at_end(signature, name)
  comment_of = remark
  if (remark_of != "" && remark_of != name && "try_" remark_of != name) comment_of = ""
  else remark_of = name
  signature = shown(head, signature, name)
  if (level[depth] == "class") {
    if (is_static) signature = "static " signature
    if (space name == type) name = type  # a constructor
    print "method\t" path "\t" type "\t" name "\t" signature "\t" comment_of
    return
  }
  if (level[depth] != "library") return
  ops = ""
  while (match(inside, /[a-z][a-z0-9_]*_op[ {}(,>]/)) {
    before = substr(inside, RSTART, RLENGTH - 1)
    if (index(" " ops " ", " " before " ") == 0) ops = ops (ops == "" ? "" : " ") before
    inside = substr(inside, RSTART + RLENGTH)
  }
  if (space != "") signature = in_space(signature, name)
  print "function\t" path "\t" space name "\t" signature "\t" comment_of "\t" ops
}

function in_space(text, name,    i) {
  i = index(text, " " name "(")
  return substr(text, 1, i) space substr(text, i + 1)
}

# Up to the parenthesis that closes the parameters, and const.
function cut_at_end(text, name,    at, c, open, begun) {
  at = index(text, name "(")
  if (name == "operator()") at += 10
  for (at += length(name) - (name == "operator()" ? 10 : 0); at <= length(text); ++at) {
    c = substr(text, at, 1)
    if (c == "(") { ++open; begun = 1 }
    if (c == ")" && --open == 0 && begun) return substr(text, 1, at)
  }
  return text
}

# As a page shows it: no site, handles by value, the type arguments that a caller has to write.
function shown(head, text, name,    parts, n, i, parameter, parameters, wanted) {
  gsub(/std::type_identity_t<operand<T>>/, "operand<T>", text)
  while (match(text, /(const )?std::type_identity_t</)) text = without_identity(text, RSTART, RLENGTH)
  gsub(/flowgraph::/, "", text)
  while (match(text, /detail::carried_type<[A-Za-z]+>/))
    text = substr(text, 1, RSTART - 1) substr(text, RSTART + 21, RLENGTH - 22) substr(text, RSTART + RLENGTH)
  gsub(/ *,? *(const )?site&? [a-z]+( = (\{\}|site\{\}))?\)$/, ")", text)
  gsub(/\((const )?site&? s, /, "(site s, ", text)
  gsub(/ *,? *std::source_location [a-z]+ = std::source_location::current\(\)\)$/, ")", text)
  text = plain_handles(text)
  parameters = text
  sub(/^[^(]*\(/, "(", parameters)
  n = top_level_parts(head, parts)
  wanted = ""
  for (i = 1; i <= n; ++i) {
    parameter = trimmed(parts[i])
    if (parameter == "" || parameter ~ /\.\.\./ || parameter ~ / = /) continue
    sub(/.*[ .]/, "", parameter)
    if (parameters !~ ("(^|[^A-Za-z0-9_])" parameter "($|[^A-Za-z0-9_])")) wanted = wanted (wanted == "" ? "" : ", ") parameter
  }
  if (wanted != "" && name != "operator()") {
    i = index(text, name "(")
    text = substr(text, 1, i - 1) name "<" wanted ">" substr(text, i + length(name))
  }
  return text
}
function without_identity(text, start, size,    at, c, open, before, inside) {
  before = substr(text, start, size) ~ /^const/ ? "const " : ""
  inside = ""
  open = 1
  for (at = start + size; at <= length(text); ++at) {
    c = substr(text, at, 1)
    if (c == "<") ++open
    if (c == ">" && --open == 0) break
    inside = inside c
  }
  return substr(text, 1, start - 1) before inside substr(text, at + 1)
}
# `const out<T>&` is a detail of how two words are passed.
function plain_handles(text,    made, start, at, c, open) {
  made = ""
  while (match(text, /const (out|out_list|variable|tensor|grad|operand|shape|graph|gradient_options)(<|&)/)) {
    made = made substr(text, 1, RSTART - 1)
    text = substr(text, RSTART + 6)
    open = 0
    for (at = 1; at <= length(text); ++at) {
      c = substr(text, at, 1)
      if (c == "<") ++open
      if (c == ">") --open
      if (open == 0 && (c == ">" || c == "&")) break
    }
    if (c == "&") { made = made substr(text, 1, at - 1); text = substr(text, at + 1) }
    else {
      made = made substr(text, 1, at)
      text = substr(text, at + 1)
      if (substr(text, 1, 1) == "&") text = substr(text, 2)
    }
  }
  return made text
}

function trimmed(text) {
  gsub(/[ \t]+/, " ", text)
  sub(/^ /, "", text)
  sub(/ $/, "", text)
  return text
}
# The parameters of `template <...>`, and what stands behind it and its requirement.
function template_head(text,    at, c, open) {
  if (text !~ /^template *</) return ""
  at = index(text, "<")
  open = 1
  for (c = at + 1; c <= length(text); ++c) {
    if (substr(text, c, 1) == "<") ++open
    if (substr(text, c, 1) == ">" && --open == 0) break
  }
  return substr(text, at + 1, c - at - 1)
}
function without_template(text,    at, c, open) {
  while (text ~ /^template *</) {
    at = index(text, "<")
    open = 1
    for (c = at + 1; c <= length(text); ++c) {
      if (substr(text, c, 1) == "<") ++open
      if (substr(text, c, 1) == ">" && --open == 0) break
    }
    text = trimmed(substr(text, c + 1))
  }
  if (text ~ /^requires ?\(/) {
    at = index(text, "(")
    open = 1
    for (c = at + 1; c <= length(text); ++c) {
      if (substr(text, c, 1) == "(") ++open
      if (substr(text, c, 1) == ")" && --open == 0) break
    }
    text = trimmed(substr(text, c + 1))
  }
  sub(/^requires ([a-z:_]+(<[^<>]*>)?|![a-z:_]+<[^<>]*>)( (&&|\|\|) [a-z:_]+<[^<>]*>)* /, "", text)
  return text
}
# Up to a default value, without template arguments: where a parenthesis is left, it is a function.
function without_values(text) {
  text = without_template(text)
  sub(/ = .*/, "", text)
  while (gsub(/<[^<>]*>/, "", text)) {}
  return text
}
