#include <flowgraph/core/generator.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace fg = flowgraph;

namespace {

fg::generator<int> generated_numbers(int n, int& made) {
  for (int i = 0; i < n; ++i) {
    ++made;
    co_yield i;
  }
}

fg::generator<std::unique_ptr<int>> generated_owners() {
  co_yield std::make_unique<int>(1);
  auto last = std::make_unique<int>(2);
  co_yield last;
}

fg::generator<int> generated_nothing() { co_return; }

fg::generator<int> generated_from(std::shared_ptr<int> held) {
  co_yield *held;
  co_yield *held;
}

#ifdef FLOWGRAPH_EXCEPTIONS
fg::generator<int> generated_failure() {
  co_yield 1;
  throw std::runtime_error("no more");
}
#endif

}  // namespace

TEST_CASE("a generator makes a value when it is asked for") {
  int made = 0;
  std::vector<int> found;
  fg::generator<int> all = generated_numbers(3, made);
  CHECK(made == 0);
  for (const int i : all) {
    CHECK(made == i + 1);
    found.push_back(i);
  }
  CHECK(found == std::vector<int>{0, 1, 2});
  for (const int i : generated_nothing()) found.push_back(i);
  for (const int i : fg::generator<int>()) found.push_back(i);
  CHECK(found.size() == 3);
  static_assert(std::input_iterator<decltype(all.begin())>);
}

TEST_CASE("the values of a generator can be moved out of") {
  std::vector<std::unique_ptr<int>> found;
  for (auto& p : generated_owners()) found.push_back(std::move(p));
  REQUIRE(found.size() == 2);
  CHECK(*found[0] + *found[1] == 3);
}

TEST_CASE("a generator that is left, moved or destroyed gives back what it holds") {
  const auto held = std::make_shared<int>(7);
  {
    fg::generator<int> some = generated_from(held);
    for (const int i : some)
      if (i == 7) break;
    CHECK(held.use_count() == 2);
    fg::generator<int> moved = std::move(some);
    CHECK(*moved.begin() == 7);
    CHECK(held.use_count() == 2);
    moved = fg::generator<int>();
  }
  CHECK(held.use_count() == 1);
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("what a generator throws reaches who asks for the next value") {
  int found = 0;
  const auto take_all = [&] {
    for (const int i : generated_failure()) found += i;
  };
  CHECK_THROWS_AS(take_all(), std::runtime_error);
  CHECK(found == 1);
}
#endif
