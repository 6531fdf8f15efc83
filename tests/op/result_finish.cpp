#include <flowgraph/op/result_finish.hpp>

#include <flowgraph/graph/table.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace finished_results {

// Halves the columns of its first input, if `applies` is set.
struct halving {
  static constexpr std::string_view name = "Halving";
  using types = fg::type_list<float>;
  static constexpr fg::op_facts facts{.not_differentiable = true, .engine = {.finishes = true}};
  bool applies = true;

  fg::shape shape(const fg::shape& x) const { return x; }
  bool normalizes_columns() const { return applies; }
  void set_normalization(const fg::edge_value* const*, float* factors, fg::detail::result_finish& f) const {
    for (std::int64_t c = 0; c < f.columns; ++c) factors[c] = 0.5f;
    f.factor = factors;
  }
  template <class T> void operator()(fg::cpu, fg::view<const T>, fg::view<T>) const {}
};

struct without_columns {
  static constexpr std::string_view name = "WithoutColumns";
  using types = fg::type_list<float>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T>, fg::view<T>) const {}
};

}  // namespace finished_results

TEST_CASE("result finish: the description of an op says how it normalizes columns") {
  using namespace finished_results;
  const auto* const normalization = fg::detail::description_of<halving>.normalization;
  REQUIRE(normalization);
  CHECK(fg::detail::description_of<without_columns>.normalization == nullptr);
  halving op;
  CHECK(normalization->applies(&op));
  float factors[3]{};
  fg::detail::result_finish f{nullptr, 3};
  normalization->set(&op, nullptr, factors, f);
  CHECK(f.factor == factors);
  CHECK(factors[2] == 0.5f);
  CHECK(f.shift == nullptr);
  CHECK(f.bound == fg::detail::result_finish::limit::none);
  op.applies = false;
  CHECK_FALSE(normalization->applies(&op));
}

TEST_CASE("result finish: a kernel finishes results only if its op says so") {
  using namespace finished_results;
  CHECK(fg::table_of<halving, float>.kernel.facts.finishes);
  CHECK_FALSE(fg::table_of<without_columns, float>.kernel.facts.finishes);
}
