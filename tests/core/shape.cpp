#include <flowgraph/core/shape.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::shape;

namespace {

constexpr shape broadcasted(const shape& a, const shape& b) {
  shape made;
  return fg::broadcast(a, b, made) ? made : shape{-2};
}
constexpr bool broadcasts(const shape& a, const shape& b) {
  shape made;
  return fg::broadcast(a, b, made);
}

// A shape as template argument.
template <shape S> struct of_shape {
  static constexpr std::int64_t size = S.size();
};

}  // namespace

static_assert(of_shape<shape{2, 3}>::size == 6);
static_assert(std::is_same_v<of_shape<shape{2, 3}>, of_shape<shape::of(shape{2, 3}.begin(), 2)>>);
static_assert(!std::is_same_v<of_shape<shape{2, 3}>, of_shape<shape{3, 2}>>);
static_assert(shape{}.is_known() && shape{}.size() == 1 && shape{}.rank == 0);
static_assert(shape{4, 0}.size() == 0 && shape{4, 0}.is_known());
static_assert(!shape{fg::any, 2}.is_known() && shape{fg::any, 2}.has_rank());
static_assert(!shape::unknown().is_known() && !shape::unknown().has_rank());
static_assert(shape{1, 2, 3}[-1] == 3 && shape{1, 2, 3}[0] == 1);
static_assert(broadcasted({3, 1}, {2}) == shape{3, 2});

TEST_CASE("shapes are equal when rank and extents are, unknown ones included") {
  CHECK(shape{2, 3} == shape{2, 3});
  CHECK(shape{2, 3} != shape{2, 3, 1});
  CHECK(shape{fg::any} == shape{-1});
  CHECK(shape::unknown() == shape::unknown());
  CHECK(shape::unknown() != shape{});
  shape once_longer{2, 3};
  once_longer.rank = 1;  // what lies beyond the rank does not count
  CHECK(once_longer == shape{2});
}

TEST_CASE("a shape of more dimensions than there is room for is unknown") {
  shape s;
  for (int i = 0; i < shape::max_rank; ++i) s.push_back(1);
  CHECK(s.rank == shape::max_rank);
  s.push_back(1);
  CHECK(s == shape::unknown());
  s.push_back(1);
  CHECK(s == shape::unknown());
  CHECK(shape::unknown_of_rank(3) == shape{-1, -1, -1});
}

TEST_CASE("a loop over a shape sees its extents, over an unknown one nothing") {
  std::int64_t sum = 0;
  for (const std::int64_t n : shape{2, 3, 4}) sum += n;
  CHECK(sum == 9);
  int steps = 0;
  const shape unknown = shape::unknown();
  for ([[maybe_unused]] const std::int64_t n : unknown) ++steps;
  CHECK(steps == 0);
}

TEST_CASE("a shape fits what it does not contradict") {
  CHECK(fg::fits({2, 3}, {fg::any, 3}));
  CHECK(fg::fits({fg::any, 3}, {2, 3}));
  CHECK(fg::fits({2, 3}, shape::unknown()));
  CHECK(fg::fits(shape::unknown(), {2, 3}));
  CHECK_FALSE(fg::fits({2, 3}, {2, 4}));
  CHECK_FALSE(fg::fits({2, 3}, {2, 3, 1}));
  CHECK_FALSE(fg::fits({}, {1}));
}

TEST_CASE("merging keeps what either side knows") {
  CHECK(fg::merged({fg::any, 3}, {2, fg::any}) == shape{2, 3});
  CHECK(fg::merged(shape::unknown(), {2, fg::any}) == shape{2, fg::any});
  CHECK(fg::merged({2, fg::any}, shape::unknown()) == shape{2, fg::any});
  CHECK(fg::merged({}, {}) == shape{});
}

TEST_CASE("broadcasting aligns on the right and stretches ones") {
  CHECK(broadcasted({2, 3}, {3}) == shape{2, 3});
  CHECK(broadcasted({4, 1, 3}, {2, 1}) == shape{4, 2, 3});
  CHECK(broadcasted({}, {5}) == shape{5});
  CHECK(broadcasted({0, 3}, {1, 3}) == shape{0, 3});
  CHECK(broadcasted({1}, {0}) == shape{0});
  CHECK_FALSE(broadcasts({2}, {3}));
  CHECK_FALSE(broadcasts({0}, {2}));
}

TEST_CASE("broadcasting an unknown extent says what must come out") {
  CHECK(broadcasted({fg::any}, {3}) == shape{3});        // it is 1 or 3
  CHECK(broadcasted({fg::any}, {1}) == shape{fg::any});  // anything
  CHECK(broadcasted({fg::any}, {fg::any}) == shape{fg::any});
  CHECK(broadcasted({fg::any, 2}, {1}) == shape{fg::any, 2});
  CHECK(broadcasted(shape::unknown(), {3}) == shape::unknown());
  CHECK(broadcasted({2}, shape::unknown()) == shape::unknown());
}

TEST_CASE("shapes print as lists, with a question mark for what is unknown") {
  CHECK(to_string(shape{2, fg::any, 3}) == "[2,?,3]");
  CHECK(to_string(shape{}) == "[]");
  CHECK(to_string(shape::unknown()) == "?");
}

TEST_CASE("an axis that a shape does not have has an unknown extent") {
  const shape two{4, 5}, scalar{}, unknown = shape::unknown();
  CHECK(two[1] == 5);
  CHECK(two[-2] == 4);
  CHECK(two[2] == -1);
  CHECK(two[-3] == -1);
  CHECK(scalar[0] == -1);
  CHECK(scalar[-1] == -1);
  CHECK(unknown[0] == -1);
  CHECK(unknown[-1] == -1);
}
