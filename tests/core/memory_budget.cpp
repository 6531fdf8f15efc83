#include <flowgraph/core/memory_budget.hpp>

#include "memory.hpp"

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("memory_budget: hands out no more than its limit, and names it") {
  test::counting_memory heap;
  fg::memory_budget* const budget = fg::memory_budget::make(1000, &heap);
  void* const most = fg::detail::allocate_or_null(budget, 900);
  REQUIRE(most != nullptr);
  CHECK(fg::detail::allocate_or_null(budget, 101) == nullptr);
  CHECK(fg::detail::limit_in_words(budget) == "; session_options::memory_limit is 1000, of which 900 are in use");
  CHECK(fg::detail::limit_in_words(nullptr).empty());
  budget->deallocate(most, 900);
  void* const again = fg::detail::allocate_or_null(budget, 1000);
  CHECK(again != nullptr);
  budget->close();
  budget->deallocate(again, 1000);  // the last byte ends it
  CHECK(heap.in_use() == 0);
}
