// Checks inputs whose values a shape rule reads: a rule runs on the host.

#include "check.hpp"

namespace harness {

namespace {

// Returns a bit for each input whose value the rule reads in one evaluation. Inputs from the 64th on share a bit.
std::uint64_t asked_by_rule(const fg::op_table& table, const void* op, const fg::shape_inputs& in,
                            std::span<const fg::any_tensor* const> values, std::size_t outputs) {
  std::uint64_t asked = 0;
  fg::shape_context context(values.data(), values.size(), &asked);
  context.set_output_count(outputs);
  std::vector<fg::shape> made(outputs, fg::shape::unknown());
  table.infer(op, context, in, made);
  return asked;
}

// Evaluates the rule with all values and with none: a rule that lacks a value may not read the next one.
std::uint64_t asked_by_rule(const placed& p, const trial& t, const tensors& values) {
  std::vector<const fg::shape*> shapes;
  std::vector<const fg::any_tensor*> known, unknown(values.size(), nullptr);
  const fg::shape of_handle{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_value = !t.how->inputs[i].is_handle();
    shapes.push_back(is_value || t.argument(i).is_reference ? &values[i].shape() : &of_handle);
    known.push_back(is_value ? &values[i] : nullptr);
  }
  const fg::shape_inputs in{shapes, p.node->list_sizes};
  const std::size_t outputs = p.node->outputs.size();
  return asked_by_rule(*t.table, p.node->attributes, in, known, outputs) |
         asked_by_rule(*t.table, p.node->attributes, in, unknown, outputs);
}

// Reports an input whose value the rule reads, and that the op does not declare.
void expect_on_host(const fg::argument& a, std::uint64_t asked, std::size_t i, const trial& t, report& r) {
  if (i >= 63 || (asked >> i & 1) == 0) return;
  r.expect(a.is_on_host, t,
           [&] { return "the shape rule looks for the value of input " + std::to_string(i) + ", which is no host input"; });
}

// Checks an op that is never called: the rule gets no values, and each list has one tensor.
void check_uncalled(const sample& s, const fg::op_table& table, report& r) {
  const call none;
  const trial t{&table, &s, &none};
  const op_value op(table);
  const fg::shape any = fg::shape::unknown();
  const std::vector<const fg::shape*> shapes(table.inputs().size(), &any);
  const std::vector<const fg::any_tensor*> values(table.inputs().size(), nullptr);
  const std::vector<std::uint32_t> sizes(table.inputs().size() + table.outputs().size(), 1);
  const std::uint64_t asked = asked_by_rule(table, op.get(), {shapes, sizes.data()}, values, table.outputs().size());
  for (std::size_t i = 0; i < table.inputs().size(); ++i) expect_on_host(table.inputs()[i], asked, i, t, r);
}

}  // namespace

void check_host_arguments(workshop& w, const sample& s, report& r) {
  if (s.find(exception::skipped)) {
    for (const fg::op_table* table : w.ops.tables(s.op))
      if (table->infer) check_uncalled(s, *table, r);
    return;
  }
  for_each_trial(w, s, r, [&](const trial& t) {
    if (!t.table->infer || t.is_large()) return;
    const tensors values = values_of(t);
    auto p = place(w, t, values, knowledge::shapes);
    if (!r.expect(p.has_value(), t, [&] { return std::string(p.error().what()); })) return;
    const std::uint64_t asked = asked_by_rule(*p, t, values);
    for (std::size_t i = 0; i < t.input_count(); ++i) expect_on_host(t.argument(i), asked, i, t, r);
  });
}

}  // namespace harness
