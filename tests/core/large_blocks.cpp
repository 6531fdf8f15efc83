#include <flowgraph/core/large_blocks.hpp>

#include <flowgraph/core/tensor.hpp>

#include "memory.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace fg = flowgraph;
using fg::detail::allocate_or_null;

namespace {

constexpr std::size_t mb = std::size_t{1} << 20;

// Closed at the end of its scope.
struct kept {
  explicit kept(std::pmr::memory_resource* from) : blocks(fg::large_blocks::make(from)) {}
  ~kept() { blocks->close(); }
  kept(const kept&) = delete;
  fg::large_blocks* operator->() const { return blocks; }
  fg::large_blocks* blocks;
};

}  // namespace

TEST_CASE("large_blocks: a request takes the smallest idle block that is at most four times as large") {
  test::counting_memory heap;
  {
    kept k(&heap);
    void* const small = k->allocate(1 * mb);
    void* const large = k->allocate(3 * mb);
    CHECK(reinterpret_cast<std::uintptr_t>(small) % 64 == 0);
    k->deallocate(large, 3 * mb);
    k->deallocate(small, 1 * mb);
    CHECK(k->idle_bytes() == heap.in_use());
    CHECK(k->allocate(mb - 5) == small);
    CHECK(k->allocate(mb) == large);
    CHECK(heap.allocations() == 2);
    CHECK(k->idle_bytes() == 0);
    k->deallocate(large, 1 * mb);
    void* const tiny = k->allocate(mb / 2);
    CHECK(tiny != large);
    CHECK(heap.allocations() == 3);
    for (void* const p : {small, tiny}) k->deallocate(p, mb);
  }
  CHECK(heap.in_use() == 0);
}

TEST_CASE("large_blocks: idle blocks are freed for a new one, so all are at most a quarter more than were in use") {
  test::counting_memory heap;
  {
    kept k(&heap);
    std::mt19937 random(7);
    std::vector<std::pair<void*, std::size_t>> out;
    std::size_t in_use = 0, most = 0;
    for (int i = 0; i < 2000; ++i) {
      if (!out.empty() && (random() % 2 == 0 || in_use > 20 * mb)) {
        const std::size_t at = random() % out.size();
        k->deallocate(out[at].first, out[at].second);
        in_use = heap.in_use() - k->idle_bytes();
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
        continue;
      }
      const std::size_t bytes = fg::large_blocks::smallest << random() % 5;
      out.emplace_back(k->allocate(bytes), bytes);
      std::memset(out.back().first, i, bytes);
      in_use = heap.in_use() - k->idle_bytes();
      most = std::max(most, in_use);
      CHECK(heap.in_use() <= most + most / 4);
    }
    for (const auto& [p, bytes] : out) k->deallocate(p, bytes);
    out.clear();
    CHECK(k->idle_bytes() == heap.in_use());
    // Idle blocks that are too large for the requests are freed.
    for (int i = 0; i < 16; ++i) out.emplace_back(k->allocate(2 * mb), 2 * mb);
    most = std::max(most, heap.in_use() - k->idle_bytes());
    for (const auto& [p, bytes] : out) k->deallocate(p, bytes);
    out.clear();
    for (int i = 0; i < 100; ++i) out.emplace_back(k->allocate(mb / 4), mb / 4);
    CHECK(heap.in_use() <= most + most / 4);
    for (const auto& [p, bytes] : out) k->deallocate(p, bytes);
    CHECK(k->free_idle() > 0);
    CHECK(heap.in_use() == 0);
    CHECK(k->free_idle() == 0);
  }
  CHECK(heap.in_use() == 0);
}

TEST_CASE("large_blocks: repeated runs allocate nothing new") {
  test::counting_memory heap;
  kept k(&heap);
  const auto run = [&] {
    void* last = nullptr;
    std::size_t last_bytes = 0;
    for (const std::size_t bytes : {3 * mb, 3 * mb, 2 * mb, mb, 3 * mb / 2, mb / 2, mb, mb / 4, mb / 2}) {
      void* const p = k->allocate(bytes);
      if (last) k->deallocate(last, last_bytes);
      last = p;
      last_bytes = bytes;
    }
    k->deallocate(last, last_bytes);
  };
  run();
  const std::size_t first = heap.allocations();
  for (int i = 0; i < 10; ++i) run();
  CHECK(heap.allocations() == first);
}

TEST_CASE("large_blocks: tensors may outlive it, and only large ones of its source are in its blocks") {
  test::counting_memory heap, other;
  constexpr std::int64_t large = fg::large_blocks::smallest / sizeof(float);
  {
    fg::any_tensor late, small, elsewhere;
    {
      kept k(&heap);
      CHECK(late.emplace(fg::dtype::float32, {large}, &heap, k.blocks));
      CHECK(small.emplace(fg::dtype::float32, {large - 1}, &heap, k.blocks));
      CHECK(elsewhere.emplace(fg::dtype::float32, {large}, &other, k.blocks));
      CHECK(late.owner()->memory() == k.blocks);
      CHECK(small.owner()->memory() == &heap);
      CHECK(elsewhere.owner()->memory() == &other);
      fg::any_tensor idle;
      CHECK(idle.emplace(fg::dtype::float32, {large}, &heap, k.blocks));
      idle = {};
      CHECK(k->idle_bytes() > 0);
    }
    CHECK(heap.in_use() < 3 * fg::large_blocks::smallest);  // what was idle is freed
    std::memset(late.data(), 1, late.bytes());
  }
  CHECK(heap.in_use() == 0);
  CHECK(other.in_use() == 0);
}

TEST_CASE("large_blocks: a budget frees idle blocks before it refuses, and refuses afterwards") {
  test::counting_memory heap;
  fg::memory_budget* const budget = fg::memory_budget::make(4 * mb, &heap);
  {
    kept k(budget);
    budget->set_spare(k.blocks);
    void* const first = allocate_or_null(k.blocks, 3 * mb);
    REQUIRE(first != nullptr);
    CHECK(allocate_or_null(k.blocks, 2 * mb) == nullptr);
    k->deallocate(first, 3 * mb);
    CHECK(budget->in_use() > 3 * mb);  // idle blocks count
    void* const direct = allocate_or_null(budget, 2 * mb);
    CHECK(direct != nullptr);
    CHECK(k->idle_bytes() == 0);
    CHECK(budget->in_use() == 2 * mb);
    void* const rest = allocate_or_null(k.blocks, mb);
    CHECK(rest != nullptr);
    k->deallocate(rest, mb);
    CHECK(allocate_or_null(budget, 4 * mb) == nullptr);
    CHECK(k->idle_bytes() == 0);
    budget->deallocate(direct, 2 * mb);
    budget->set_spare(nullptr);
  }
  budget->close();
  CHECK(heap.in_use() == 0);
}

TEST_CASE("large_blocks: refused memory and a size that overflows are no block") {
  test::refusing_memory none;
  kept k(&none);
  CHECK(allocate_or_null(k.blocks, mb) == nullptr);
  CHECK(allocate_or_null(k.blocks, SIZE_MAX - 8) == nullptr);
  CHECK(k->idle_bytes() == 0);
}

TEST_CASE("large_blocks: threads share the blocks, and the last tensor frees all") {
  test::counting_memory heap;
  {
    kept k(&heap);
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&k, &wrong, t] {
        for (int i = 0; i < 300; ++i) {
          const std::size_t bytes = fg::large_blocks::smallest * (1 + static_cast<std::size_t>(i % 3));
          auto* const p = static_cast<unsigned char*>(k->allocate(bytes));
          p[0] = p[bytes - 1] = static_cast<unsigned char>(t);
          std::this_thread::yield();
          if (p[0] != t || p[bytes - 1] != t) ++wrong;
          k->deallocate(p, bytes);
        }
      });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(k->idle_bytes() == heap.in_use());
    CHECK(heap.allocations() < 1200);
  }
  CHECK(heap.in_use() == 0);
}
