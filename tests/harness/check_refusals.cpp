// Checks that wrong arguments cause an error that names the op, and wild ones an error or a result, which does not depend on the
// knowledge of the graph.

#include "check.hpp"
#include "wild.hpp"

namespace harness {

namespace {

fg::dtype another(fg::dtype type) { return type == fg::dtype::string ? fg::dtype::float32 : fg::dtype::string; }

// Checks that an error names the op.
void check_name(const fg::error& why, const trial& t, std::string_view what, report& r) {
  r.expect(why.op() == t.table->name(), t, [&] { return std::string(what) + ": the error does not name the op: " + why.what(); });
}
// Checks also that the error reports a mistake of the caller, not of the library.
void check_error(const fg::error& why, const trial& t, std::string_view what, report& r) {
  const bool may = t.from->find(exception::internal_code) != nullptr;
  r.expect(why.code() != fg::error_code::internal || may, t, [&] { return std::string(what) + ": " + why.what(); });
  check_name(why, t, what, r);
}

void check_wild(workshop& w, const trial& t, std::string_view what, report& r) {
  const attempt told = attempt_run(w, t, knowledge::values), blind = attempt_run(w, t, knowledge::nothing);
  if (told.why) check_error(told.why, t, what, r);
  if (blind.why) check_error(blind.why, t, what, r);
  if (!r.expect(!told.why == !blind.why, t, [&] {
        return std::string(what) +
               (told.why ? ": refused only when the graph knows the shapes: " + std::string(told.why.what())
                         : ": refused only when the graph does not know the shapes: " + std::string(blind.why.what()));
      }))
    return;
  if (told.why || t.table->counts_runs) return;
  for (std::size_t i = 0; i < told.made.outputs.size(); ++i)
    r.expect(same_bits(told.made.outputs[i], blind.made.outputs[i]), t,
             [&] { return std::string(what) + ": the result depends on what the graph knows"; });
}

// ---- inputs

void check_wild_inputs(workshop& w, const trial& t, report& r) {
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    const std::string which = "input " + std::to_string(i);
    call changed = *t.how;
    input& in = changed.inputs[i];
    const trial other{t.table, t.from, &changed};
    for (const fg::shape& s : wild_shapes(in.shape)) {
      in.shape = s;
      check_wild(w, other, which + " of another shape", r);
    }
    in = t.how->inputs[i];
    if (!in.is_given) continue;
    for (const double n : wild_numbers) {
      for (std::size_t k = 0; in.elements.size() > 1 && k < in.elements.size() && k < 4; ++k) {
        in.elements[k] = n;
        check_wild(w, other, which + " with element " + std::to_string(k) + " = " + std::to_string(n), r);
        in.elements[k] = t.how->inputs[i].elements[k];
      }
      in.elements.assign(in.elements.size(), n);
      check_wild(w, other, which + " with all elements " + std::to_string(n), r);
      in.elements = t.how->inputs[i].elements;
    }
  }
}

// Checks that another element type, one more input, and one input less are refused when the node is added.
void check_signature(workshop& w, const trial& t, report& r) {
  const auto p = place(w, t, values_of(t), knowledge::shapes);
  if (!r.expect(p.has_value(), t, [&] { return std::string(p.error().what()); })) return;
  op_value op(*t.table);
  set_all(op, t);
  fg::graph g = p->graph;
  const auto try_inputs = [&](const std::vector<fg::any_out>& inputs) {
    return guarded([&]() -> fg::error {
      auto made = g.try_add({t.table, op.get(), inputs, t.how->list_sizes, {}}, {});
      return made ? fg::error() : made.error();
    });
  };
  const auto must_refuse = [&](const std::vector<fg::any_out>& inputs, const std::string& what) {
    const fg::error why = try_inputs(inputs);
    if (r.expect(static_cast<bool>(why), t, [&] { return what + " is accepted"; })) check_error(why, t, what, r);
  };
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    if (t.argument(i).kind == fg::argument::form::mixed_list) continue;
    std::vector<fg::any_out> inputs = p->inputs;
    inputs[i] = *add_placeholder(w, g, another(inputs[i].type()), t.how->inputs[i].shape);
    must_refuse(inputs, "input " + std::to_string(i) + " of another element type");
    inputs[i] = {};
    must_refuse(inputs, "input " + std::to_string(i) + " that is no handle");
    if (!t.argument(i).is_reference) continue;
    inputs[i] = *add_placeholder(w, g, p->inputs[i].type(), t.how->inputs[i].shape);
    must_refuse(inputs, "input " + std::to_string(i) + " that is no variable");
  }
  std::size_t singles = 0;
  for (const fg::argument& a : t.table->inputs()) singles += a.kind == fg::argument::form::single ? 1 : 0;
  std::vector<fg::any_out> more = p->inputs;
  more.push_back(*add_placeholder(w, g, fg::dtype::float32, {}));
  if (singles == t.table->inputs().size()) must_refuse(more, "one input more");
  if (singles > 0) must_refuse({}, "no input");
}

// Checks handles that name nothing, and variables without a value.
void check_variables(workshop& w, const trial& t, report& r) {
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    if (!t.how->inputs[i].is_handle()) continue;
    auto p = place(w, t, values_of(t), knowledge::nothing);
    if (!r.expect(p.has_value(), t, [&] { return std::string(p.error().what()); })) return;
    if (t.how->inputs[i].is_variable) {
      p->initializers.clear();
      p->variables.clear();
      const auto without = run(w, *p, way::plain);
      // Some ops call that error internal in TensorFlow, and so here.
      if (!without) check_name(without.error(), t, "a variable without a value", r);
    }
    if (t.argument(i).is_reference || t.from->find(exception::takes_any_handle)) continue;
    p->feeds.emplace_back(p->inputs[i], fg::any_tensor::allocate(fg::dtype::resource, {}).value());
    const auto empty = run(w, *p, way::plain);
    if (r.expect(!empty.has_value(), t, [&] { return "a handle that names nothing is accepted"; }))
      check_error(empty.error(), t, "a handle that names nothing", r);
  }
}

// ---- attributes

void check_attributes(workshop& w, const trial& t, report& r) {
  constexpr auto last = static_cast<int>(fg::attribute_kind::list_of_functions);
  for (const fg::attribute_info& a : t.table->attributes()) {
    for (int k = 0; k <= last; ++k) {
      const auto kind = static_cast<fg::attribute_kind>(k);
      for (const fg::attribute_value& value : wild_values(kind)) {
        op_value op(*t.table);
        const bool taken = op.set(a.name, value);
        const std::string what = "attribute " + std::string(a.name) + " = " + fg::to_string(value);
        if (kind != a.kind) r.expect(!taken, t, [&] { return what + " of another kind is accepted"; });
        if (!taken || kind != a.kind) continue;
        call changed = t.how->with(a.name, value);
        check_wild(w, {t.table, t.from, &changed}, what, r);
      }
    }
  }
}

}  // namespace

void check_refusals(workshop& w, const sample& s, report& r) {
  for_each_trial(w, s, r, [&](const trial& t) {
    if (t.is_large()) return;
    const bool is_first = t.how == &s.tried.front();
    if (is_first) check_signature(w, t, r);
    if (!has_sampled_types(w, *t.table)) return;
    check_variables(w, t, r);
    check_wild_inputs(w, t, r);
    check_attributes(w, t, r);
  });
}

}  // namespace harness
