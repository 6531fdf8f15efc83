#include <flowgraph/graph/fit.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

using namespace test;
using fg::out, fg::type_list;
using fg::detail::expected, fg::detail::found, fg::detail::input, fg::detail::inputs, fg::detail::misfit;

namespace {

struct gather_op {
  using types = fg::type_attrs<fg::type_attr<"T", fg::floating>, fg::type_attr<"I", fg::index_types>>;
  static constexpr fg::op_facts base_facts{.not_differentiable = true};
  template <class T, class I> using signature = void(fg::view<const T>, fg::view<const I>, fg::view<const T>, fg::view<T>);
};
struct undecided_op {
  using types = fg::floating;
  template <class T> using signature = void(fg::view<const T>, fg::view<T>);
};

template <class Verdict, class... What> constexpr bool is = std::is_same_v<Verdict, misfit<What...>>;

}  // namespace

static_assert(fg::is_fit<fg::fit_of<sum_op, out<float>, out<float>>>);
static_assert(fg::is_fit<fg::fit_of<sum_op, out<float>, fg::variable<float>>>);
static_assert(fg::is_fit<fg::fit_of<gather_op, out<float>, out<int>, out<float>>>);
static_assert(fg::is_fit<fg::fit_of<merge_op, fg::out_list<std::string>>>);
static_assert(fg::is_fit<fg::fit_of<mix_op, fg::out_list<float>, out<bool>, fg::any_out_list>>);
static_assert(fg::is_fit<fg::fit_of<mix_op, fg::out_list<float>, out<bool>, fg::out_list<int>>>);
static_assert(fg::is_fit<fg::fit_of<action_op>>);
static_assert(fg::is_fit<fg::fit_as<maximum_op, type_list<float, int>, out<float>>>);

TEST_CASE("a wrong number of inputs is told") {
  CHECK(is<fg::fit_of<sum_op, out<float>>, sum_op, expected<inputs<2>>, found<inputs<1>>>);
  CHECK(is<fg::fit_of<action_op, out<float>>, action_op, expected<inputs<0>>, found<inputs<1>>>);
}

TEST_CASE("an element type that the op does not have is told with those that it has") {
  CHECK(is<fg::fit_of<gather_op, out<int>, out<int>, out<float>>, gather_op, input<0>, expected<fg::floating>, found<out<int>>>);
  CHECK(is<fg::fit_of<gather_op, out<float>, out<float>, out<float>>, gather_op, input<1>, expected<fg::index_types>,
           found<out<float>>>);
  CHECK(is<fg::fit_of<mix_op, fg::out_list<float>, out<int>, fg::any_out_list>, mix_op, input<1>, expected<type_list<bool>>,
           found<out<int>>>);
}

TEST_CASE("an element type that differs from an earlier input's is told with that") {
  CHECK(is<fg::fit_of<sum_op, out<float>, out<int>>, sum_op, input<1>, expected<type_list<float>>, found<out<int>>>);
  CHECK(is<fg::fit_of<gather_op, out<float>, out<int>, out<double>>, gather_op, input<2>, expected<type_list<float>>,
           found<out<double>>>);
}

TEST_CASE("what is no handle, and a list that should be none, are told") {
  CHECK(is<fg::fit_of<sum_op, out<float>, float>, sum_op, input<1>, expected<type_list<float>>, found<float>>);
  CHECK(is<fg::fit_of<sum_op, float, out<float>>, sum_op, input<0>, expected<fg::real_numbers>, found<float>>);
  CHECK(is<fg::fit_of<merge_op, out<float>>, merge_op, input<0>, expected<fg::detail::list<fg::edge_types>>, found<out<float>>>);
  CHECK(is<fg::fit_of<mix_op, fg::out_list<float>, out<bool>, out<int>>, mix_op, input<2>, expected<fg::detail::list_of_any>,
           found<out<int>>>);
}

TEST_CASE("a type attribute that no input gives must be given") {
  using index = fg::type_attr<"index", fg::index_types>;
  CHECK(is<fg::fit_of<maximum_op, out<float>>, maximum_op, index, fg::detail::type_not_given>);
  CHECK(is<fg::fit_as<maximum_op, type_list<float, float>, out<float>>, maximum_op, expected<index>, found<float>>);
  CHECK(is<fg::fit_as<maximum_op, type_list<double, int>, out<float>>, maximum_op, input<0>, expected<type_list<double>>,
           found<out<float>>>);
}

TEST_CASE("an op that says neither how it differentiates nor that it does not is told") {
  CHECK(is<fg::fit_of<undecided_op, out<float>>, undecided_op, expected<fg::detail::gradient_or_not_differentiable>>);
}
