// Checks shapes and results for all degrees of prior knowledge, and for all ways to run.

#include "check.hpp"

#include <algorithm>

namespace harness {

namespace {

void compare(const outcome& expected, const outcome& found, const trial& t, std::string_view how, report& r) {
  for (std::size_t i = 0; i < expected.outputs.size() && i < found.outputs.size(); ++i)
    r.expect(same_bits(expected.outputs[i], found.outputs[i]), t, [&] {
      return "output " + std::to_string(i) + " differs: " + std::string(how) + " (" + to_string(found.outputs[i].shape()) +
             " and " + to_string(expected.outputs[i].shape()) + ')';
    });
  for (std::size_t i = 0; i < expected.variables.size() && i < found.variables.size(); ++i)
    r.expect(same_bits(expected.variables[i], found.variables[i]), t,
             [&] { return "the variable of input " + std::to_string(i) + " ends otherwise: " + std::string(how); });
}

// Compares the outputs with the shapes and types in the graph.
void check_outputs(const placed& p, const outcome& o, const trial& t, knowledge k, report& r) {
  bool lets_kernel_decide = t.from->find(exception::shape_at_run_time) != nullptr;
  for (const fg::argument& a : t.table->outputs()) lets_kernel_decide = lets_kernel_decide || a.is_unsized;
  for (std::size_t i = 0; i < p.node->outputs.size(); ++i) {
    const fg::output_info& said = p.node->outputs[i];
    const fg::shape& came = o.outputs[i].shape();
    const std::string where = "output " + std::to_string(i) + " with " + std::string(name_of(k));
    r.expect(fits(came, said.shape), t,
             [&] { return where + ": the graph says " + to_string(said.shape) + ", the run makes " + to_string(came); });
    r.expect(o.outputs[i].type() == said.type, t, [&] { return where + " has another element type than the graph says"; });
    if (k == knowledge::values && !lets_kernel_decide)
      r.expect(said.shape.is_known(), t, [&] { return where + ": the graph knows only " + to_string(said.shape); });
  }
  r.expect(o.feeds_intact, t, [&] { return std::string("a fed tensor was written to, with ") + std::string(name_of(k)); });
}

// Checks inputs from another node, in buffers that the op may reuse: with the op as the only reader, and with another reader.
void check_in_place(workshop& w, const trial& t, const tensors& values, const outcome& expected, report& r) {
  auto p = place(w, t, values, knowledge::shapes, true);
  if (!r.expect(p.has_value(), t, [&] { return std::string(p.error().what()); })) return;
  auto alone = run(w, *p, way::plain);
  if (r.expect(alone.has_value(), t, [&] { return std::string("over inputs to take over: ") + alone.error().what(); }))
    compare(expected, *alone, t, "over inputs to take over", r);
  auto watched = run(w, *p, way::plain, p->copies);
  if (!r.expect(watched.has_value(), t, [&] { return std::string("over inputs that are fetched: ") + watched.error().what(); }))
    return;
  compare(expected, *watched, t, "over inputs that are fetched", r);
  std::size_t at = p->node->outputs.size();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!t.how->inputs[i].is_handle())
      r.expect(same_bits(watched->outputs[at++], values[i]), t,
               [&] { return "input " + std::to_string(i) + " changes under its other reader"; });
}

}  // namespace

void report::fail(const trial& t, const std::string& what) {
  ++failed_;
  const std::string op(t.table->name());
  if (++of_op_[op] <= kept_of_an_op) failures_.push_back(t.name() + ": " + what);
}

std::vector<std::string> unmatched(const fg::registry& ops, const std::vector<sample>& samples) {
  std::vector<std::string> list;
  std::set<std::string_view> sampled;
  for (const sample& s : samples) {
    if (!sampled.insert(s.op).second) list.push_back("op " + std::string(s.op) + " has two samples");
    if (ops.tables(s.op).empty()) list.push_back("there is a sample of op " + std::string(s.op) + " but no such op");
    if (s.tried.empty() && !s.find(exception::skipped))
      list.push_back("the sample of op " + std::string(s.op) + " tries nothing");
  }
  for (const std::string_view name : ops.names())
    if (!sampled.contains(name))
      list.push_back("op " + std::string(name) + " has no sample: add one beside its kin in one of tests/harness/samples_*.cpp");
  return list;
}

bool has_common_types(const fg::op_table& table) {
  return std::all_of(table.types().begin(), table.types().end(), [](const fg::type_binding& b) {
    return b.type == fg::dtype::float32 || b.type == fg::dtype::float64 || b.type == fg::dtype::int32 ||
           b.type == fg::dtype::int64 || b.type == fg::dtype::boolean || b.type == fg::dtype::string;
  });
}

bool has_sampled_types(const workshop& w, const fg::op_table& table) {
  if (!has_common_types(table)) return false;
  const auto tables = w.ops.tables(table.name());
  const auto first = std::ranges::find_if(tables, [](const fg::op_table* t) { return has_common_types(*t); });
  std::size_t others = 0;
  for (std::size_t k = 0; k < table.types().size(); ++k) others += table.types()[k].type != (*first)->types()[k].type ? 1 : 0;
  return others <= 1;
}

void check_shapes(workshop& w, const sample& s, report& r) {
  for_each_trial(w, s, r, [&](const trial& t) {
    if (t.is_large()) return;
    const tensors values = values_of(t);
    auto p = place(w, t, values, knowledge::shapes);
    if (!r.expect(p.has_value(), t, [&] { return std::string(p.error().what()); })) return;
    auto expected = run(w, *p, way::plain);
    if (!r.expect(expected.has_value(), t, [&] { return std::string(expected.error().what()); })) return;
    check_outputs(*p, *expected, t, knowledge::shapes, r);
    if (!has_common_types(*t.table)) return;
    for (const knowledge k : {knowledge::some_extents, knowledge::nothing, knowledge::values}) {
      auto q = place(w, t, values, k);
      if (!r.expect(q.has_value(), t, [&] { return std::string(name_of(k)) + ": " + q.error().what(); })) continue;
      auto found = run(w, *q, way::plain);
      if (!r.expect(found.has_value(), t, [&] { return std::string(name_of(k)) + ": " + found.error().what(); })) continue;
      check_outputs(*q, *found, t, k, r);
      if (!t.table->counts_runs) compare(*expected, *found, t, name_of(k), r);
    }
    if (!t.table->counts_runs) check_in_place(w, t, values, *expected, r);
  });
}

void check_ways(workshop& w, const sample& s, report& r) {
  for_each_trial(w, s, r, [&](const trial& t) {
    if (!has_sampled_types(w, *t.table) && (t.is_large() || t.how != &t.from->tried.front())) return;
    auto p = place(w, t, values_of(t), knowledge::shapes);
    if (!r.expect(p.has_value(), t, [&] { return std::string(p.error().what()); })) return;
    auto expected = run(w, *p, way::plain);
    if (!r.expect(expected.has_value(), t, [&] { return std::string(expected.error().what()); })) return;
    for (const way how : other_ways) {
      auto found = run(w, *p, how);
      if (!r.expect(found.has_value(), t, [&] { return std::string(name_of(how)) + ": " + found.error().what(); })) continue;
      compare(*expected, *found, t, name_of(how), r);
      r.expect(found->feeds_intact, t, [&] { return "a fed tensor was written to: " + std::string(name_of(how)); });
    }
  });
}

}  // namespace harness
