// Calls changed at random, for mistakes that no table of wild arguments contains.

#include "check.hpp"
#include "wild.hpp"

#include <random>

namespace harness {

namespace {

class mutator {
public:
  explicit mutator(std::uint64_t seed) : draw_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(draw_() % n); }
  template <class List> const auto& one_of(const List& list) { return list[below(std::size(list))]; }

  void change(const trial& t, call& c) {
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t which = below(4);
      if (which == 0 && !t.table->attributes().empty()) change_attribute(*t.table, c);
      else if (which == 1 && !c.inputs.empty()) reshape(c.inputs[below(c.inputs.size())]);
      else if (!c.inputs.empty()) change_elements(c.inputs[below(c.inputs.size())]);
    }
  }

private:
  void change_attribute(const fg::op_table& table, call& c) {
    const fg::attribute_info& a = one_of(table.attributes());
    const auto values = wild_values(a.kind);
    if (values.empty()) return;
    const fg::attribute_value& value = one_of(values);
    op_value op(table);
    if (op.set(a.name, value)) c = c.with(a.name, value);
  }
  void reshape(input& in) {
    if (below(2) == 0) {
      in.shape = one_of(wild_shapes(in.shape));
    } else {
      in.shape = {};
      for (std::size_t rank = below(6); rank > 0; --rank) in.shape.push_back(static_cast<std::int64_t>(below(4)));
    }
    if (in.is_given) in.elements.resize(elements_of(in), 1);
  }
  void change_elements(input& in) {
    if (in.queue != input::queue_form::none) return;
    if (!in.is_given) in.is_given = !in.is_variable, in.elements.assign(elements_of(in), 1);
    for (double& e : in.elements)
      if (below(3) == 0) e = below(2) == 0 ? one_of(wild_numbers) : static_cast<double>(below(9)) - 3;
  }
  static std::size_t elements_of(const input& in) { return static_cast<std::size_t>(in.shape.size()); }

  std::mt19937_64 draw_;
};

}  // namespace

void check_mutations(workshop& w, const std::vector<sample>& samples, std::uint64_t seed, std::uint64_t count, report& r) {
  std::vector<trial> trials;
  for (const sample& s : samples)
    for_each_trial(w, s, r, [&](const trial& t) {
      if (!t.is_large()) trials.push_back(t);
    });
  mutator m(seed);
  for (; count > 0; --count) {
    const trial& from = m.one_of(trials);
    call changed = *from.how;
    m.change(from, changed);
    const trial t{from.table, from.from, &changed};
    const attempt made = attempt_run(w, t, m.one_of(all_knowledge));
    const bool may = t.from->find(exception::internal_code) != nullptr;
    r.expect(!made.why || made.why.code() != fg::error_code::internal || may, t,
             [&] { return "a call changed at random: " + std::string(made.why.what()); });
  }
}

}  // namespace harness
