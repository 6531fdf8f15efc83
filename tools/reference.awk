# Writes docs/reference/<page>.md, from what tools/declarations.awk prints of the headers and from the lines of use in tests/reference/uses.
# Variables: DIRECTORY, where pages go; ELSEWHERE, the header of hints to write; UMBRELLA, the header that programs include; DERIVED, where
# the lines of use go that were made here, as code to compile. Says of every public function and type what it lacks.

BEGIN {
  FS = "\t"
  # What stands in the library's namespace for its own gradients and bases: no function that programs call.
  internal_functions = "attribute_names attributes_of concat_parts pad_like sum_of_tiles inverse_permutation product_gradients" \
    " stacked_product_gradients mirror_pad_grad gradient_contributions shape_of_rows shape_of_batch cast_to repeated_bias" \
    " bias_add_grad max_pool_grad max_pool_grad_grad avg_pool_grad max_pool3d_grad max_pool3d_grad_grad avg_pool3d_grad" \
    " max_pool_grad_with_argmax max_pool_grad_v2 max_pool_grad_grad_v2 conv2d_backprop_input conv2d_backprop_filter" \
    " conv3d_backprop_input conv3d_backprop_filter depthwise_conv2d_backprop_input depthwise_conv2d_backprop_filter" \
    " dilation2d_backprop_input dilation2d_backprop_filter get name_of cross_entropy_gradients logits_gradient"
  internal_types = "node_request operand none_type any_slices any_grad gradients_of edge output_info node reference_list" \
    " unary_elementwise binary_elementwise paired_elementwise unary_pointwise binary_pointwise comparison equality complex_part reduction" \
    " numeric_reduction logical_reduction segment_reduction unsorted_segment_reduction segment_scale sparse_segment_gradient" \
    " sliced_sparse_segment_gradient sparse_segment_reduction counted_sparse_segment_reduction update_form kept_memory memory_budget" \
    " stop_signal steady_time fetched"
  mark(internal_functions, internal)
  mark(internal_types, internal)
  # Optimizers share the first three, docs/training.md; cells and attentions the others: `recurrent_cell` in ops/rnn/cell.hpp.
  mark("minimize gradients apply", of_optimizers)
  mark("operator() zero_state output_size tiled depth", of_cells)
  mark("state shared_state try_add add set_back_edge add_initializer", of_engine)
  mark("any_tensor::emplace any_tensor::over any_tensor::owner any_tensor::is_owned any_tensor::is_unique any_tensor::share any_tensor::take" \
       " any_tensor::point_to any_tensor::reset shape::fill_unused shape::of shape::begin shape::end tensor::begin tensor::end" \
       " container::generation container::memory registry::add registry::find registry::tables error::at error::because error::error" \
       " result::result shape::push_back tensor::rank tensor::dim error::op", of_engine)
  # Members that are called alike wherever they stand.
  share("location", "where it was written: the caller's line")
  share("parallel_iterations", "iterations of its loop that may overlap")
  share("name", "of the scope of its nodes or variables; empty: as in TensorFlow")
  share("seed", "empty: of the graph's seed")
  share("lengths", "steps of each sequence; empty: all that the inputs have")
  share("time_major", "inputs and outputs are {time, batch, ...}")
  share("initial_forward initial_backward", "empty: the cell's zero_state")
  share("kernel", "what the weights begin with, by their shape")
  share("bias", "what the bias begins with, by its shape; empty: as TensorFlow's cells begin")
  share("activation", "the function of a step's output")
  share("forget_bias", "added to the gate that forgets")
  share("stop", "ends the run from another thread")
  share("deadline", "ends the run at that time")
  share("rate", "the learning rate: a number, or a scalar of the graph")
  share("momentum", "the share of a step that goes on")
  share("nesterov", "look ahead by the momentum")
  share("beta1 beta2", "how much the means of gradients and of their squares keep a step")
  share("epsilon", "keeps a quotient from growing without bound")
  share("weight_decay", "by how much, times the rate, weights shrink a step")
  share("initial_accumulator", "what the sums of squares begin with")
  share("l1 l2", "the strength of that regularization")
  share("l2_shrinkage", "added to the gradient, times the weight")
  share("rate_power", "the power of the sums that the rate is divided by")
  share("rho decay", "how much a mean keeps a step")
  share("centered", "divide by the deviation instead of the mean square")
  share("global_step", "the counter of steps; empty: one of its own")
  share("end", "the rate at the end")
  share("power", "of the share of steps that is left")
  share("alpha", "the share of the rate that is left at the end, or by which it is raised")
  share("beta", "added to the wave")
  share("num_periods", "of the wave")
  share("initial_variance variance_decay", "the noise has variance initial_variance / (1 + step) ^ variance_decay")
}
function share(names, text,    list, n) { for (n = split(names, list, " "); n; --n) shared_meaning[list[n]] = text }
function mark(words, set,    list, n) { for (n = split(words, list, " "); n; --n) set[list[n]] = 1 }

FNR == 1 { ++file }
# The lines of use: of each function the first line that calls it before others, or at all; below `// folder/header.hpp:` those of its
# functions, where several headers have functions of one name; below `// type:` those of a type's members. A blank line ends these.
file == 2 {
  line = $0
  sub(/^ +/, "", line)
  if (line ~ /^\/\/ [a-z_0-9]+\/[a-z_0-9]+\.hpp:$/) { within = substr(line, 4, length(line) - 4); next }
  if (line ~ /^\/\/ (tcp::)?[a-z_0-9]+:$/) { of = substr(line, 4, length(line) - 4); next }
  if (line == "" || line == "}") { of = within = ""; next }
  if (of != "" && line !~ /^\/\//) { use_of_type[of] = use_of_type[of] line "\n"; of_members[of] = of_members[of] line }
  if (line ~ /^\/\// || line ~ /^const auto /) next
  rest = line
  at_first = 1
  while (match(rest, /fg::(tcp::)?[a-z_0-9]+/)) {
    name = substr(rest, RSTART + 4, RLENGTH - 4)
    if (within != "") { if (!((within, name) in use_within)) use_within[within, name] = line }
    else if (!(name in use) || (at_first && !(name in called_first))) use[name] = line
    if (at_first && within == "") called_first[name] = 1
    at_first = 0
    rest = substr(rest, RSTART + RLENGTH)
  }
  next
}

$1 == "family" { family[$2] = $3; headers[++header_count] = $2 }
$1 == "header" { included[$2] = $3 }
$1 == "type" && $6 != "" { op_name[$3] = $6; op_comment[$3] = $5; op_header[$3] = $2; if ($5 == "") lack($2, "the op " $6 " has no comment that says what it computes"); if ($2 !~ /flowgraph\/train\//) { if ($7 == "") witness[$2] = $3; next } }
$1 == "type" {
  name = $3
  if ($7 == "" && $4 == "struct" && !($2 in witness)) witness[$2] = name
  head_of[name] = $7
  if (name in internal || $2 ~ /ops\/[a-z_]+\.hpp$/ || (name ~ /_attributes$/ && name !~ /^(fractional_pool|argmax_pool|max_pool_v2)/)) next
  types[$2] = types[$2] " " name
  kind[name] = $4
  about[name] = $5
}
$1 == "member" { key = $3; ++member_count[key]; member[key, member_count[key]] = $4; member_type[key, member_count[key]] = $5; member_default[key, member_count[key]] = $6; member_about[key, member_count[key]] = $7 }
# Overloads that are there for their message.
($1 == "method" && $6 ~ /^(Chosen for|What does not fit is refused here)/) || ($1 == "function" && $5 ~ /^Chosen for/) { next }
$1 == "method" { key = $3; ++method_count[key]; method[key, method_count[key]] = $4; method_signature[key, method_count[key]] = $5; method_about[key, method_count[key]] = $6 }
$1 == "function" {
  if ($2 ~ /ops\/operators.hpp$/) next  # defines what others declare
  if ($3 in internal || $4 ~ /(\(|, )site = / || $4 ~ /^(template|requires|concept) / || $4 ~ /(\(|, )out<[A-Z]>\)?(,|$)/) next
  key = $2 SUBSEP $3
  if (!(key in seen)) { seen[key] = 1; functions[$2] = functions[$2] " " $3 }
  if ($4 ~ /_attributes&/ && $4 !~ /fractional|argmax|max_pool_v2/) { note_ops(key, $6); next }
  note_ops(key, $6)
  if (index(signatures[key], $4 "\n")) next
  signatures[key] = signatures[key] $4 "\n"
  if ($5 != "" && $5 !~ /^The attributes of an op/ && index(remarks[key], $5) == 0) remarks[key] = remarks[key] (remarks[key] == "" ? "" : " ") $5
}
function note_ops(key, list,    n, all, i) {
  n = split(list, all, " ")
  for (i = 1; i <= n; ++i)
    if (index(" " ops[key] " ", " " all[i] " ") == 0) ops[key] = ops[key] (ops[key] == "" ? "" : " ") all[i]
}

function lack(where, what) {
  failed = 1
  if (!((where, what) in said)) print where ": " what > "/dev/stderr"
  said[where, what] = 1
}

function page_of(header,    p) {
  p = header
  sub(/^flowgraph\//, "", p)
  if (p ~ /^ops\/[a-z_]+\//) { sub(/^ops\//, "", p); sub(/\/.*/, "", p) }
  else if (p ~ /^ops\//) p = "graph"
  else if (p ~ /^(core|op)\//) p = "tensors"
  else sub(/\/.*/, "", p)
  if (p == "interop") p = "files"
  return p == "runtime" || p == "passes" || p == "placement" ? "session" : p == "train" ? "optimizers" : p
}

function bring(header,    list, n) {
  if (header in brought) return
  brought[header] = 1
  for (n = split(included[header], list, " "); n; --n) bring(list[n])
}

function cell(text) { gsub(/\|/, "\\|", text); gsub(/</, "\\&lt;", text); return text }

END {
  bring(UMBRELLA)
  for (i = 1; i <= header_count; ++i)
    if (page_of(headers[i]) == "tensors") bring(headers[i])  # by headers that are not read here
  title["array"] = "Arrays: shapes, slices, rows and constants"
  title["control_flow"] = "Control flow: loops, branches, functions of rows"
  title["data_flow"] = "Queues, stacks and arrays of tensors"
  title["checkpoint"] = "Saving and restoring tensors"
  title["debug"] = "Checks and printing"
  title["linear_algebra"] = "Matrices"
  title["math"] = "Numbers: element by element"
  title["nn"] = "Layers: convolutions, pools, normalization, activations, losses"
  title["random"] = "Random numbers and initial values"
  title["reduction"] = "Reductions, scans and segments"
  title["rnn"] = "Recurrent networks"
  title["deploy"] = "Graphs to ship"
  title["input"] = "Input: files, records, batches"
  title["lookup"] = "Tables to look up in"
  title["strings"] = "Strings"
  title["distributed"] = "Clusters: tasks, launchers, networks"
  title["state"] = "Variables and what changes them"
  title["tensors"] = "Tensors, shapes, errors; thread pools, containers, registries"
  title["files"] = "Files: TensorFlow's graphs and models"
  title["training"] = "Steps of optimizers as ops"
  title["graph"] = "Graphs, handles, gradients"
  title["io"] = "Graphs as plain values"
  title["observe"] = "Looking at runs: traces"
  title["session"] = "Sessions, runs and prepared steps"
  title["optimizers"] = "Optimizers, schedules, clipping, averages"
  for (i = 1; i <= header_count; ++i) {
    h = headers[i]
    if (functions[h] == "" && types[h] == "") continue
    page = page_of(h)
    text = section(h)
    if (text == "") continue
    if (!(page in pages)) {
      if (!(page in title)) title[page] = page
      pages[page] = "# " title[page] "\n\nMade by `tools/reference` from the headers. Functions take a `fg::site` as last parameter, a name for the node: it is not shown.\n" \
        "Handles of type `out<T>` and variables are given alike; an `operand<T>` may be a scalar as well. [All pages](index.md), [ops](../ops.md).\n"
    }
    pages[page] = pages[page] text
  }
  for (page in pages) { printf "%s", pages[page] > (DIRECTORY "/" page ".md"); close(DIRECTORY "/" page ".md") }
  write_hints()
  exit failed
}

# Words that programs have for things of their own are no hints: with `using namespace flowgraph` they would mean two things.
function is_common(name) { return name ~ /^(frame|greeting|link|task|transport)$/ }

# A declaration in the namespace that its name says, on a line with it.
function in_space(text, name) {
  if (name !~ /::/) return text
  gsub(/tcp::/, "", text)
  return "namespace tcp { " text " }"
}

# What the umbrella lacks: called, it says which header has it. A function that takes anything is the last of overloads; it goes when the
# header is there, which a struct of it tells.
function write_hints(    i, j, h, n, list, name, far) {
  far = ELSEWHERE
  print "#pragma once" > far
  print "// Made by tools/reference. Which header has what flowgraph.hpp does not bring, for the compiler to say: calling one of these" > far
  print "// without its header is an error that shows the line, and the header with it." > far
  print "" > far
  print "#include <flowgraph/config.hpp>" > far
  print "" > far
  print "// clang-format off" > far
  print "namespace flowgraph {" > far
  print "inline namespace FLOWGRAPH_ABI {" > far
  print "" > far
  print "namespace detail {" > far
  print "template <class Op, class... T> concept is_elsewhere = !requires { sizeof(Op); };" > far
  print "}  // namespace detail" > far
  for (i = 1; i <= header_count; ++i) {
    h = headers[i]
    if (!(h in brought)) continue
    n = split(functions[h] " " types[h], list, " ")
    for (j = 1; j <= n; ++j) near[list[j]] = 1
  }
  near["complex"] = near["add_standard_ops"] = 1  # also a type of the standard library; declared in ops/standard.hpp
  near["print_waiting"] = near["print_recovery"] = near["record_parts"] = 1  # given as values: an overload would make them ambiguous
  for (i = 1; i <= header_count; ++i) {
    h = headers[i]
    if (h in brought) continue
    n = split(functions[h], list, " ")
    begun = 0
    for (j = 1; j <= n; ++j) {
      name = list[j]
      if (name in near) continue
      near[name] = 1
      if (!begun++) print "\n" (witness[h] == "" ? "" : in_space("struct " witness[h] ";", witness[h])) > far
      print in_space("template <class... T>" (witness[h] == "" ? "" : " requires detail::is_elsewhere<" witness[h] ", T...>") " void " name \
        "(...) = delete;", name) "  // include <" h ">" (witness[h] == "" ? "; with it: no overload takes these arguments" : "") > far
    }
    n = split(types[h], list, " ")
    for (j = 1; j <= n; ++j) {
      name = list[j]
      if (name in near || is_common(name) || kind[name] == "enum" || !(name in use_of_type) || head_of[name] !~ /^((class|class\.\.\.) [A-Z][a-z]*)?$/) continue
      near[name] = 1
      print "\n" in_space((head_of[name] == "" ? "" : "template <" head_of[name] "> ") kind[name] " " name ";", name) "  // include <" h ">" > far
    }
  }
  print "\n}\n}  // namespace flowgraph" > far
  print "// clang-format on" > far
  close(far)
}

function section(h,    list, n, j, made) {
  made = ""
  n = split(functions[h], list, " ")
  for (j = 1; j <= n; ++j) made = made entry(h, list[j])
  n = split(types[h], list, " ")
  for (j = 1; j <= n; ++j) made = made type_entry(h, list[j])
  if (made == "") return ""
  return "\n## `" h "`\n\n" (family[h] == "" ? "" : cell(family[h]) "\n\n") (h in brought ? "`" UMBRELLA "` brings it." : "Include it: `" UMBRELLA "` does not bring it.") "\n" made
}

function entry(h, name,    key, sentence, all, n, j, made, op_list) {
  key = h SUBSEP name
  if (signatures[key] == "") return ""
  n = split(ops[key], all, " ")
  sentence = op_list = ""
  for (j = 1; j <= n; ++j) {
    if (op_name[all[j]] == "" || op_header[all[j]] != h) continue  # one of many that it uses
    if (sentence == "") sentence = op_comment[all[j]]
    op_list = op_list (op_list == "" ? "" : ", ") "[`" op_name[all[j]] "`](../ops.md)"
  }
  sentence = sentence (sentence == "" || remarks[key] == "" ? "" : " ") remarks[key]
  if (sentence == "") lack(h, "the function " name " has no comment that says what it does, nor has its op")
  line_of_use = use_of(h, name)
  if (line_of_use == "") line_of_use = derived_use(name, signatures[key])
  if (line_of_use == "") lack(h, "the function " name " takes more than handles and has no line of use in tests/reference/uses")
  made = "\n### " name "\n\n" ended(cell(sentence)) "\n\n```c++\n" signatures[key] "\n" line_of_use "\n```\n"
  if (op_list != "") made = made "\nOp: " op_list "\n"
  return made
}
function use_of(h, name,    key) {
  key = h
  sub(/^flowgraph\/(ops\/)?/, "", key)
  return (key, name) in use_within ? use_within[key, name] : use[name]
}
# A function whose parameters without default are all handles needs no line that is written by hand. Empty: it does.
function derived_use(name, signature,    parameters, parts, n, i, type, called, arguments, declared) {
  sub(/\n.*/, "", signature)
  i = index(signature, " " name "(")
  if (i == 0 || signature ~ /^void /) return ""
  parameters = substr(signature, i + length(name) + 2)
  sub(/\)$/, "", parameters)
  n = split(parameters, parts, /, /)
  arguments = declared = ""
  for (i = 1; i <= n && parts[i] !~ / = /; ++i) {
    if (parts[i] !~ /^(out<[A-Za-z:_0-9]+>|operand<T>) [a-z_0-9]+$/) return ""
    type = called = parts[i]
    gsub(/^[a-z]+<|>.*/, "", type)
    if (type ~ /^[A-Z]/) type = type == "T" ? "float" : "std::int32_t"
    sub(/.* /, "", called)
    arguments = arguments (arguments == "" ? "" : ", ") called
    declared = declared "  const auto " called " = g.placeholder<" type ">(\"" called "\", fg::shape::unknown());\n"
  }
  if (arguments == "") return ""
  called = "auto " (arguments ~ /(^| )y(,|$)/ ? "result" : "y") " = fg::" name "(" arguments ");"
  if (DERIVED != "") printf "{\n%s  %s\n}\n", declared, called > DERIVED
  return called
}
function ended(text) { return text ~ /[.?:;)\]}]$/ && text !~ /[^.]\)$/ ? text : text "." }

function type_entry(h, name,    made, j, rows, signature_lines, meaning, last) {
  made = "\n### " name "\n"
  if (about[name] != "") made = made "\n" ended(cell(about[name])) "\n"
  else if (kind[name] == "class" || name !~ /_(options|attributes)$/) lack(h, "the type " name " has no comment that says what it is")
  if (kind[name] == "enum") return made "\nValues: `" member_type[name, 1] "`.\n"
  rows = ""
  for (j = 1; j <= member_count[name]; ++j) {
    meaning = member_about[name, j]
    if (meaning == "" && (name ~ /_options$/ || page_of(h) == "optimizers")) meaning = shared_meaning[member[name, j]]
    if (meaning == "" && name ~ /_options$/) lack(h, name "::" member[name, j] " has no comment that says what it means")
    rows = rows "| `" member[name, j] "` | `" code_cell(member_type[name, j]) "` | " (member_default[name, j] == "" ? "" : "`" code_cell(default_of(member_default[name, j])) "`") " | " cell(meaning) " |\n"
  }
  if (rows != "") made = made "\n| member | type | default | meaning |\n|---|---|---|---|\n" rows
  signature_lines = ""
  last = ""
  split("", told)
  for (j = 1; j <= method_count[name]; ++j) {
    if (page_of(h) == "optimizers" && method[name, j] in of_optimizers) continue
    if ((name == "graph" && method[name, j] in of_engine) || (name "::" method[name, j]) in of_engine || method_signature[name, j] ~ /&&\)$|detail::graph_state/) continue
    if (method_about[name, j] == "" && !(method[name, j] in told) && method[name, j] != name && !(page_of(h) == "rnn" && method[name, j] in of_cells)) lack(h, name "::" method[name, j] " has no comment that says what it does")
    if (method_about[name, j] != "" && method_about[name, j] != last) signature_lines = signature_lines "// " ended(method_about[name, j]) "\n"
    last = method_about[name, j]
    told[method[name, j]] = 1
    signature_lines = signature_lines method_signature[name, j] "\n"
    if (method[name, j] != name && !(method[name, j] in of_cells) && of_members[name] !~ ("[.:>]" method[name, j] "[(<]")) lack(h, name "::" method[name, j] " has no line of use in tests/reference/uses")
  }
  if (signature_lines != "" || use_of_type[name] != "" || (name in use)) {
    made = made "\n```c++\n" signature_lines
    if (use_of_type[name] != "") made = made (signature_lines == "" ? "" : "\n") use_of_type[name]
    else if (name in use) made = made (signature_lines == "" ? "" : "\n") use[name] "\n"
    made = made "```\n"
  }
  return made
}
function default_of(text) { if (text ~ /^\{.*\}$/) { text = substr(text, 2, length(text) - 2); if (text == "") text = "{}" } return text }
function code_cell(text) { gsub(/\|/, "\\|", text); return text }
