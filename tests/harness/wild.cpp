// Wild shapes and values, and runs with them.

#include "wild.hpp"

#include "check.hpp"

#include <cmath>

namespace harness {

std::vector<fg::shape> wild_shapes(const fg::shape& s) {
  std::vector<fg::shape> all{fg::shape{}, fg::shape{0}, fg::shape{7, 5}};
  fg::shape longer{2}, shorter, widened = s, emptied = s, deep;
  for (int i = 0; i < s.rank; ++i) {
    longer.push_back(s[i]);
    if (i > 0) shorter.push_back(s[i]);
  }
  all.push_back(longer);
  if (s.rank > 0) {
    widened[s.rank - 1] += 1;
    emptied[0] = 0;
    all.insert(all.end(), {shorter, widened, emptied});
  }
  for (int i = 0; i < fg::shape::max_rank; ++i) deep.push_back(1);
  all.push_back(deep);
  return all;
}

std::vector<fg::attribute_value> wild_values(fg::attribute_kind kind) {
  using kinds = fg::attribute_kind;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  using integers = std::vector<std::int64_t>;
  switch (kind) {
    case kinds::integer: return {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, most, least};
    case kinds::real: return {-1.f, 0.f, std::numeric_limits<float>::infinity(), std::nanf("")};
    case kinds::boolean: return {true, false};
    case kinds::string: return {std::string(), std::string("no such value")};
    case kinds::type: return {fg::dtype::invalid, fg::dtype::string};
    case kinds::shape:
      return {fg::shape::unknown(), fg::shape{}, fg::shape{fg::any}, fg::shape{0}, fg::shape{3, 1}, fg::shape{most, most}};
    case kinds::tensor: return {fg::any_tensor(), direction(fg::dtype::uint8, {2}), direction(fg::dtype::complex128, {0})};
    case kinds::list_of_integers:
      return {integers{},
              integers{0},
              integers{-1, -1},
              integers{0, 0, 0, 0},
              integers{1, -1, -1, 1},
              integers{1, 9, 9, 1},
              integers{2, 1, 1, 2},
              integers{1, most, most, 1},
              integers{least, least, least, least},
              integers(13, 1),
              integers{1, 2, 3, 4, 5, 6, 7, 8},
              integers{0, 0, most, most, 0, 0, 0, 0}};
    case kinds::list_of_reals: return {std::vector<float>{}, std::vector<float>{-1.f, std::nanf("")}};
    case kinds::list_of_strings: return {std::vector<std::string>{}, std::vector<std::string>{"", "no such value"}};
    case kinds::list_of_types: return {std::vector<fg::dtype>{}, std::vector<fg::dtype>{fg::dtype::invalid}};
    case kinds::list_of_shapes: return {std::vector<fg::shape>{}, std::vector<fg::shape>{fg::shape::unknown()}};
    default: return {};
  }
}

attempt attempt_run(workshop& w, const trial& t, knowledge k) {
  attempt a;
  a.why = guarded([&]() -> fg::error {
    auto p = place(w, t, values_of(t), k);
    if (!p) return p.error();
    auto o = run(w, *p, way::plain);
    if (!o) return o.error();
    a.made = *std::move(o);
    for (std::size_t i = 0; i < p->node->outputs.size(); ++i)
      if (!fits(a.made.outputs[i].shape(), p->node->outputs[i].shape))
        return fg::error(fg::error_code::internal, "the graph says " + to_string(p->node->outputs[i].shape) + ", the run makes " +
                                                       to_string(a.made.outputs[i].shape()));
    return {};
  });
  return a;
}

}  // namespace harness
