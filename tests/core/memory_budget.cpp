#include <flowgraph/core/memory_budget.hpp>

#include "memory.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

namespace fg = flowgraph;
using fg::detail::allocate_or_null;

TEST_CASE("memory_budget: hands out no more than its limit, and names it") {
  test::counting_memory heap;
  fg::memory_budget* const budget = fg::memory_budget::make(1000, &heap);
  void* const most = allocate_or_null(budget, 900);
  REQUIRE(most != nullptr);
  CHECK(allocate_or_null(budget, 101) == nullptr);
  CHECK(fg::detail::limit_in_words(budget) == "; session_options::memory_limit is 1000, of which 900 are in use");
  CHECK(fg::detail::limit_in_words(nullptr).empty());
  auto* const counting = fg::memory_budget::make(fg::memory_budget::unlimited, std::pmr::new_delete_resource());
  CHECK(fg::detail::limit_in_words(counting).empty());
  counting->close();
  budget->deallocate(most, 900);
  void* const again = allocate_or_null(budget, 1000);
  CHECK(again != nullptr);
  budget->close();
  budget->deallocate(again, 1000);  // the last byte ends it
  CHECK(heap.in_use() == 0);
}

TEST_CASE("memory_budget: counts to the byte, and has room for all of its limit") {
  test::counting_memory heap;
  fg::memory_budget* const budget = fg::memory_budget::make(100, &heap);
  CHECK(budget->limit() == 100);
  CHECK(budget->in_use() == 0);
  void* const most = allocate_or_null(budget, 60);
  void* const rest = allocate_or_null(budget, 40);
  REQUIRE(most != nullptr);
  REQUIRE(rest != nullptr);
  CHECK(budget->in_use() == 100);
  CHECK(allocate_or_null(budget, 1) == nullptr);
  CHECK(heap.allocations() == 2);  // the one that was refused asked for nothing
  budget->deallocate(rest, 40);
  CHECK(allocate_or_null(budget, 41) == nullptr);
  CHECK(budget->in_use() == 60);
  budget->deallocate(most, 60);
  budget->close();
  CHECK(heap.in_use() == 0);
}

TEST_CASE("memory_budget: a refusal from behind leaves nothing counted") {
  test::refusing_memory none;
  fg::memory_budget* const budget = fg::memory_budget::make(100, &none);
  CHECK(allocate_or_null(budget, 10) == nullptr);
  CHECK(budget->in_use() == 0);
  budget->close();
}

TEST_CASE("memory_budget: it outlives its maker until the last byte is back") {
  test::counting_memory heap;
  fg::memory_budget* const budget = fg::memory_budget::make(100, &heap);
  void* const late = allocate_or_null(budget, 10);
  budget->close();
  CHECK(heap.in_use() == 10);
  budget->deallocate(late, 10);  // and frees itself: the sanitizers see a leak or a use after that
  CHECK(heap.in_use() == 0);
}

TEST_CASE("memory_budget: threads together never hold more than the limit") {
  test::counting_memory heap;
  fg::memory_budget* const budget = fg::memory_budget::make(1000, &heap);
  std::vector<std::thread> threads;
  std::atomic<bool> beyond = false;
  std::atomic<int> given = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        void* const p = allocate_or_null(budget, 400);
        if (heap.in_use() > 1000) beyond = true;
        if (!p) continue;
        ++given;
        budget->deallocate(p, 400);
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK_FALSE(beyond);
  CHECK(given > 0);
  CHECK(budget->in_use() == 0);
  budget->close();
}

namespace {

// Spare memory that a test can fill.
struct spare final : fg::spare_memory {
  fg::memory_budget* budget = nullptr;
  void* block = nullptr;
  std::size_t bytes = 0;
  int calls = 0;
  std::size_t free_idle() noexcept override {
    ++calls;
    if (block) budget->deallocate(std::exchange(block, nullptr), bytes);
    return std::exchange(bytes, 0);
  }
};

}  // namespace

TEST_CASE("memory_budget: spare memory is freed before a request is refused, and not earlier") {
  test::counting_memory heap;
  fg::memory_budget* const budget = fg::memory_budget::make(100, &heap);
  spare idle;
  idle.budget = budget;
  budget->set_spare(&idle);
  idle.block = allocate_or_null(budget, idle.bytes = 60);
  void* const fits = allocate_or_null(budget, 40);
  CHECK(idle.calls == 0);
  void* const more = allocate_or_null(budget, 50);
  CHECK(more != nullptr);
  CHECK(idle.calls == 1);
  CHECK(budget->in_use() == 90);
  CHECK(allocate_or_null(budget, 11) == nullptr);
  CHECK(idle.calls == 2);
  budget->set_spare(nullptr);
  CHECK(allocate_or_null(budget, 11) == nullptr);
  CHECK(idle.calls == 2);
  budget->deallocate(fits, 40);
  budget->deallocate(more, 50);
  budget->close();
  CHECK(heap.in_use() == 0);
}
