#include <flowgraph/op/stored.hpp>

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/math/math.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::detail::grid_of;
using fg::detail::is_stored;

namespace {

struct own_op {
  static constexpr std::string_view name = "Maximum";
  using types = fg::type_attrs<fg::type_attr<"T", fg::floating>, fg::type_attr<"I", fg::index_types>>;
  template <class T, class I> void operator()(fg::cpu, fg::view<const T>, fg::view<I>) const {}
};

}  // namespace

TEST_CASE("combinations of element types are numbered, the last type attribute running fastest") {
  static_assert(grid_of<own_op>::size == 8);
  static_assert(grid_of<own_op>::place<fg::half, std::int32_t>() == 0);
  static_assert(grid_of<own_op>::place<fg::half, std::int64_t>() == 1);
  static_assert(grid_of<own_op>::place<double, std::int64_t>() == 7);
  static_assert(grid_of<own_op>::has<float, std::int32_t> && !grid_of<own_op>::has<int, std::int32_t>);
  static_assert(fg::detail::type_grid<fg::type_attrs<>>::size == 1);
  CHECK(grid_of<own_op>::place<float, std::int64_t>() == 5);
}

TEST_CASE("a program makes what no archive has: ops of its own, and element types that a standard op does not list") {
  static_assert(!is_stored<own_op, float, std::int32_t>);
  static_assert(!is_stored<fg::maximum_op, std::string>);
#if defined(FLOWGRAPH_COMPILED)
  static_assert(is_stored<fg::maximum_op, float>);
  static_assert(is_stored<fg::gather_op, std::string, std::int64_t>);
#else
  static_assert(!is_stored<fg::maximum_op, float>);
#endif
}
