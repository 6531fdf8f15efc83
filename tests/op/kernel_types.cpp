#include <flowgraph/op/kernel_types.hpp>

#include <flowgraph/core/half.hpp>

#include "call.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

using test::edge;
using test::kernel_caller;
using test::room;
using test::table_for;

namespace kernel_types {

// Moves elements to where indices say: of its values it knows the size alone.
struct spread {
  static constexpr std::string_view name = "Spread";
  using types = fg::type_attrs<fg::type_attr<"T", fg::edge_types>, fg::type_attr<"I", fg::index_types>>;
  static constexpr std::size_t moved_types = 1;
  template <class T, class I> void operator()(fg::cpu, fg::view<const T> x, fg::view<const I> at, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[static_cast<std::size_t>(at[i])] = x[i];
  }
};

// Reads indices of two type attributes, and writes the last of them in the second: that one is no longer only read.
struct picked {
  static constexpr std::string_view name = "Picked";
  using types =
      fg::type_attrs<fg::type_attr<"T", fg::numbers>, fg::type_attr<"I", fg::type_list<std::int16_t, std::int32_t, std::int64_t>>,
                     fg::type_attr<"J", fg::index_types>>;
  template <class T, class I, class J>
  void operator()(fg::cpu, fg::view<const T> x, fg::index_view<I> at, fg::index_view<J> from, fg::view<T> y,
                  fg::view<J> last) const {
    for (std::size_t i = 0; i < at.size(); ++i) y[i] = x[static_cast<std::size_t>(at[i] + from.scalar())];
    last.scalar() = static_cast<J>(at[at.size() - 1]);
  }
};

}  // namespace kernel_types

using namespace kernel_types;

TEST_CASE("types that an op only moves share the kernel of a type of their layout") {
  using index = std::int64_t;
  const auto kernel = [](const fg::op_table& t) { return t.kernel.run; };
  CHECK((kernel(table_for<spread, float, index>()) == kernel(table_for<spread, std::int32_t, index>())));
  CHECK((kernel(table_for<spread, fg::complex64, index>()) == kernel(table_for<spread, double, index>())));
  CHECK((kernel(table_for<spread, fg::half, index>()) == kernel(table_for<spread, fg::bfloat16, index>())));
  CHECK((kernel(table_for<spread, bool, index>()) == kernel(table_for<spread, std::int8_t, index>())));
  CHECK((kernel(table_for<spread, float, index>()) != kernel(table_for<spread, double, index>())));
  CHECK((kernel(table_for<spread, float, index>()) != kernel(table_for<spread, float, std::int32_t>())));
  CHECK((kernel(table_for<spread, std::string, index>()) != kernel(table_for<spread, fg::resource, index>())));
  CHECK(to_string(table_for<spread, fg::complex64, index>()) == "Spread<complex64, int64>");

  kernel_caller c({edge<float>({2}, {-0.f, 7}), edge<index>({2}, {1, 0})}, {room<float>({2})});
  c.run<spread, float, index>({});
  CHECK(c.output<float>(0)[0] == 7.f);
  CHECK(std::signbit(c.output<float>(0)[1]));
  kernel_caller words({edge<std::string>({2}, {"b", "a"}), edge<index>({2}, {1, 0})}, {room<std::string>({2})});
  words.run<spread, std::string, index>({});
  CHECK(words.output<std::string>(0) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("indices that a kernel only reads do not multiply it, but those that it writes do") {
  using narrow = std::int32_t;
  using wide = std::int64_t;
  const auto kernel = [](const fg::op_table& t) { return t.kernel.run; };
  CHECK((kernel(table_for<picked, float, narrow, wide>()) == kernel(table_for<picked, float, wide, wide>())));
  CHECK((kernel(table_for<picked, float, narrow, wide>()) == kernel(table_for<picked, float, std::int16_t, wide>())));
  CHECK((kernel(table_for<picked, float, wide, narrow>()) != kernel(table_for<picked, float, wide, wide>())));
  CHECK((kernel(table_for<picked, float, wide, wide>()) != kernel(table_for<picked, double, wide, wide>())));
  CHECK(to_string(table_for<picked, float, std::int16_t, wide>()) == "Picked<float, int16, int64>");

  const std::vector<float> expected = {40, 20};
  const auto check = [&]<class I, class J>(I, J) {
    kernel_caller c({edge<float>({4}, {10, 20, 30, 40}), edge<I>({2}, {2, 0}), edge<J>({}, {1})},
                    {room<float>({2}), room<J>({})});
    c.run<picked, float, I, J>({});
    CHECK(c.output<float>(0) == expected);
    CHECK(c.output<J>(1) == std::vector<J>{0});
  };
  check(std::int16_t{}, wide{});
  check(narrow{}, wide{});
  check(wide{}, narrow{});
}
