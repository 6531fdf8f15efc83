#include <flowgraph/graph/table.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

using namespace test;

namespace {

struct doubled_op {
  static constexpr std::string_view name = "Doubled";
  using types = fg::numbers;
  template <class T> void operator()(fg::cpu, fg::view<const T>, fg::view<T>) const {}
  template <class T> fg::out<T> gradient(fg::out<T>, fg::out<T>, fg::out<T> dy) const { return dy; }
};

}  // namespace

TEST_CASE("a table is made once for an op and its element types") {
  static_assert(fg::table_of<sum_op, float>.name() == "TestSum");
  CHECK(&fg::table_of<sum_op, float> != &fg::table_of<sum_op, double>);
  CHECK(to_string(fg::table_of<sum_op, fg::half>) == "TestSum<half>");
}

TEST_CASE("a table has a gradient where one exists") {
#ifdef FLOWGRAPH_INFERENCE
  CHECK((fg::table_of<doubled_op, float>.gradient == nullptr));
#else
  CHECK((fg::table_of<doubled_op, float>.gradient != nullptr));
  CHECK((fg::table_of<doubled_op, fg::complex64>.gradient != nullptr));
#endif
  CHECK((fg::table_of<doubled_op, int>.gradient == nullptr));
  CHECK((fg::table_of<sum_op, float>.gradient == nullptr));
  CHECK(fg::table_of<sum_op, float>.not_differentiable);
}
