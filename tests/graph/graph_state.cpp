#include <flowgraph/graph/graph_state.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

using namespace test;

TEST_CASE("an arena: what it gave stays where it is, aligned, also beyond its chunks") {
  fg::detail::arena memory;
  CHECK(memory.text("").empty());
  CHECK(memory.array<int>(0).empty());
  std::string source = "a name";
  const std::string_view copy = memory.text(source);
  source = "other";
  void* const wide = memory.allocate(3, 64);
  CHECK(reinterpret_cast<std::uintptr_t>(wide) % 64 == 0);
  const std::span<std::uint64_t> large = memory.array<std::uint64_t>(100'000);
  CHECK(large.front() == 0);
  CHECK(large.back() == 0);
  std::memset(large.data(), 1, large.size_bytes());
  for (int i = 0; i < 1000; ++i) {
    const std::span<std::byte> part = memory.array<std::byte>(1000);
    std::memset(part.data(), 2, part.size());
  }
  CHECK(large.back() == 0x0101010101010101u);
  CHECK(copy == "a name");
}

TEST_CASE("names are made unique without regard to case, and a reserved one is not given again") {
  fg::detail::graph_state s;
  CHECK(s.unique_name("x") == "x");
  CHECK(s.unique_name("x") == "x_1");
  CHECK(s.unique_name("X") == "X_2");
  CHECK(s.reserved_name("x_3") == "x_3");
  CHECK(s.unique_name("x") == "x_4");
  CHECK(s.unique_name("x_1") == "x_1_1");
}

TEST_CASE("a free name is one that no node of the scope has, and stays free") {
  fg::graph g;
  source<float>(g, "w");
  source<float>(g, "w_1");
  {
    const auto in = g.in_scope("inner");
    source<float>(g, "w");
  }
  const fg::detail::graph_state& s = g.state();
  CHECK(s.free_name({}, "other") == "other");
  CHECK(s.free_name({}, "w") == "w_2");
  CHECK(s.free_name({}, "w") == "w_2");
  CHECK(s.free_name("inner/", "w") == "w_1");
  CHECK(s.free_name({}, "inner/w") == "inner/w_1");
  CHECK(s.free_name("nowhere/", "w") == "w");
  CHECK(s.free_name({}, "W") == "W_2");
  CHECK(s.free_name("Inner/", "W") == "W_1");
  CHECK(s.free_name({}, "inner") == "inner");  // a scope is not a node
}

TEST_CASE("scopes return to what they found, in turn") {
  fg::detail::graph_state s;
  s.scope.prefix = "a/";
  s.push();
  s.scope.prefix = "a/b/";
  s.scope.device = "/cpu:0";
  s.push();
  s.scope.prefix = "a/b/c/";
  s.scope.device = "";
  CHECK(s.scope_name() == "a/b/c");
  s.pop();
  CHECK(s.scope.prefix == "a/b/");
  CHECK(s.scope.device == "/cpu:0");
  s.pop();
  CHECK(s.scope.prefix == "a/");
  CHECK(s.scope.device.empty());
}
