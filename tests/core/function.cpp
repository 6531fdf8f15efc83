#include <flowgraph/core/function.hpp>

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <type_traits>

namespace fg = flowgraph;

namespace {

// Counts how many of it are alive.
struct counted {
  int* alive;
  explicit counted(int& n) : alive(&n) { ++*alive; }
  counted(const counted& other) : alive(other.alive) { ++*alive; }
  counted(counted&& other) noexcept : alive(other.alive) { ++*alive; }
  counted& operator=(const counted&) = delete;
  ~counted() { --*alive; }
};

int twice(int x) { return 2 * x; }

int call(fg::function_ref<int(int)> f, int x) { return f(x); }

}  // namespace

TEST_CASE("a function_ref calls what it borrows, and changes it") {
  int sum = 0;
  auto add = [&sum](int x) { return sum += x; };
  CHECK(call(add, 3) == 3);
  CHECK(call(add, 4) == 7);
  CHECK(sum == 7);
  const auto negate = [](int x) { return -x; };
  CHECK(call(negate, 2) == -2);
  CHECK(call(twice, 4) == 8);
  CHECK(call(&twice, 5) == 10);
}

TEST_CASE("a function_ref passes references and objects that only move") {
  auto take = [](std::unique_ptr<int> p, std::string& text) { text += std::to_string(*p); };
  const fg::function_ref<void(std::unique_ptr<int>, std::string&)> f = take;
  std::string text = "n";
  f(std::make_unique<int>(5), text);
  CHECK(text == "n5");
}

TEST_CASE("a function_ref is made of what can be called so, and of nothing else") {
  const auto length = [](const std::string& text) { return text.size(); };
  CHECK(std::is_constructible_v<fg::function_ref<std::size_t(const std::string&)>, decltype(length)&>);
  CHECK(std::is_constructible_v<fg::function_ref<void(const std::string&)>, decltype(length)&>);
  CHECK(std::is_constructible_v<fg::function_ref<double(const char*)>, decltype(length)&>);
  CHECK_FALSE(std::is_constructible_v<fg::function_ref<std::string(const std::string&)>, decltype(length)&>);
  CHECK_FALSE(std::is_constructible_v<fg::function_ref<std::size_t(int)>, decltype(length)&>);
  CHECK_FALSE(std::is_constructible_v<fg::function_ref<std::size_t()>, decltype(length)&>);
}

TEST_CASE("a unique_function owns callables of any size and destroys each once") {
  int alive = 0;
  {
    fg::unique_function<int(int)> small = [c = counted(alive)](int x) { return x + 1; };
    fg::unique_function<int(int)> large = [c = counted(alive), room = std::array<int, 100>{1}](int x) { return x + room[0] + 1; };
    CHECK(alive == 2);
    CHECK(small(1) == 2);
    CHECK(large(1) == 3);

    fg::unique_function<int(int)> taken = std::move(large);
    CHECK_FALSE(large);
    CHECK(taken(2) == 4);
    small = std::move(taken);  // destroys what small held
    CHECK(alive == 1);
    CHECK(small(3) == 5);
    small.reset();
    CHECK(alive == 0);
    CHECK_FALSE(small);
    small = twice;
    CHECK(small(21) == 42);
  }
  CHECK(alive == 0);
}

TEST_CASE("a unique_function keeps what only moves, and its state between calls") {
  fg::unique_function<int()> next = [p = std::make_unique<int>(0)] { return ++*p; };
  CHECK(next() == 1);
  auto moved = std::move(next);
  CHECK(moved() == 2);
  auto& same = moved;
  moved = std::move(same);
  CHECK(moved() == 3);
}
