#include <flowgraph/runtime/schedule/kept_memory.hpp>

#include <flowgraph/core/memory_budget.hpp>

#include "../../harness/engine_ops.hpp"

#include <cstring>
#include <limits>
#include <random>

using namespace engine;

namespace {

// Closed at the end of its scope; in a round of this thread.
struct kept {
  explicit kept(std::pmr::memory_resource& from) : memory(fg::kept_memory::make(&from)) { memory->begin_round(); }
  ~kept() { memory->close(); }
  fg::kept_memory* operator->() const { return memory; }
  fg::kept_memory* memory;
};

}  // namespace

TEST_CASE("kept_memory: what comes back is there for the next of its size, and alone") {
  counting_memory heap;
  {
    kept k(heap);
    void* const first = k->allocate(1000);
    k->deallocate(first, 1000);
    CHECK(k->allocate(990) == first);
    void* const second = k->allocate(1000);
    CHECK(second != first);
    CHECK(heap.allocations() == 2);
    CHECK(k->blocks() == 2);
    CHECK(k->bytes() == heap.in_use());
    k->deallocate(first, 990);
    k->deallocate(second, 1000);
    void* const other = k->allocate(5000);
    CHECK(other != first);
    CHECK(heap.allocations() == 3);
    k->deallocate(other, 5000);
  }
  CHECK(heap.in_use() == 0);
}

TEST_CASE("kept_memory: blocks of any size and alignment are whole, and at most an eighth too large") {
  counting_memory heap;
  {
    kept k(heap);
    struct block {
      unsigned char* data;
      std::size_t bytes, alignment;
      unsigned char mark;
    };
    std::vector<block> out;
    std::mt19937 random(3);
    std::size_t wanted = 0;
    for (int round = 0; round < 3000; ++round) {
      if (out.size() < 100 && random() % 2 == 0) {
        const std::size_t bytes = (std::size_t{1} << random() % 16) + random() % 300, alignment = std::size_t{8} << random() % 5;
        const auto mark = static_cast<unsigned char>(round);
        auto* const data = static_cast<unsigned char*>(k->allocate(bytes, alignment));
        CHECK(reinterpret_cast<std::uintptr_t>(data) % alignment == 0);
        std::fill_n(data, bytes, mark);
        out.push_back({data, bytes, alignment, mark});
        wanted = std::max(wanted, bytes);
      } else if (!out.empty()) {
        std::swap(out[random() % out.size()], out.back());
        const block b = out.back();
        CHECK(std::all_of(b.data, b.data + b.bytes, [&](unsigned char c) { return c == b.mark; }));
        k->deallocate(b.data, b.bytes, b.alignment);
        out.pop_back();
      }
    }
    for (const block& b : out) k->deallocate(b.data, b.bytes, b.alignment);
    const std::size_t before = heap.in_use();
    void* const large = k->allocate(3'000'001);
    CHECK(heap.in_use() - before <= 3'000'001 + 3'000'001 / 8 + 64);
    k->deallocate(large, 3'000'001);
  }
  CHECK(heap.in_use() == 0);
}

TEST_CASE("kept_memory: what nobody has needed for many rounds goes back") {
  counting_memory heap;
  kept k(heap);
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{10'000}}) k->deallocate(k->allocate(bytes), bytes);
  const std::size_t both = heap.in_use();
  const auto rounds = [&](bool all_seen) {
    int whiles = 0;
    for (int round = 0; round < 200; ++round) {
      k->begin_round();
      k->deallocate(k->allocate(100), 100);
      whiles += k->end_round(all_seen);
    }
    return whiles;
  };
  CHECK(rounds(false) == 0);
  CHECK(heap.in_use() == both);
  CHECK(rounds(true) > 1);
  CHECK(heap.in_use() < both);
  CHECK(heap.in_use() >= 100);
  CHECK(k->blocks() == 1);
  CHECK(heap.allocations() == 2);
}

TEST_CASE("kept_memory: what comes back by another thread, or between rounds, serves the next round") {
  counting_memory heap;
  kept k(heap);
  void* const first = k->allocate(1000);
  void* const second = k->allocate(1000);
  std::thread([&] { k->deallocate(first, 1000); }).join();
  CHECK(k->allocate(1000) == first);
  k->end_round();
  k->deallocate(second, 1000);
  k->deallocate(first, 1000);
  k->begin_round();
  void* const again = k->allocate(1000);
  CHECK((again == first || again == second));
  CHECK(heap.allocations() == 2);
  void* other = nullptr;
  std::thread([&] { other = k->allocate(1000); }).join();
  CHECK(other != first);
  CHECK(other != second);
  k->deallocate(other, 1000);
  k->deallocate(again, 1000);
  CHECK(k->blocks() == 3);
  CHECK(k->bytes() == heap.in_use());
}

TEST_CASE("kept_memory: idle blocks are given up where there is no other memory; a refusal is handed on") {
  counting_memory heap;
  fg::memory_budget* const limit = fg::memory_budget::make(10'000, &heap);
  {
    kept k(*limit);
    k->deallocate(k->allocate(8'000), 8'000);
    void* const small = fg::detail::allocate_or_null(k.memory, 4'000);
    CHECK(small != nullptr);
    CHECK(fg::detail::allocate_or_null(k.memory, 8'000) == nullptr);
    CHECK(fg::detail::allocate_or_null(k.memory, std::size_t{1} << (std::numeric_limits<std::size_t>::digits - 1)) == nullptr);
    k->deallocate(small, 4'000);
    CHECK(k->blocks() == 1);
  }
  CHECK(limit->in_use() == 0);
  limit->close();
  CHECK(heap.in_use() == 0);
}

TEST_CASE("kept_memory: threads share it with one that has a round, and blocks come back after the end") {
  counting_memory heap;
  std::vector<std::thread> threads;
  {
    kept k(heap);
    std::atomic<void*> lent = nullptr;
    std::atomic<bool> is_done = false;
    threads.emplace_back([&, memory = k.memory] {
      for (void* p = nullptr; !is_done || lent;)
        if ((p = lent.exchange(nullptr))) memory->deallocate(p, 300);
    });
    for (int round = 0; round < 500; ++round) {
      k->begin_round();
      for (int i = 0; i < 5; ++i) {
        void* const p = k->allocate(300);
        std::memset(p, 2, 300);
        if (void* const left = lent.exchange(p)) k->deallocate(left, 300);
      }
      k->end_round();
    }
    is_done = true;
    threads.back().join();
    threads.clear();
    for (int t = 0; t < 4; ++t) {
      void* const late = k->allocate(500);
      threads.emplace_back([memory = k.memory, late] {
        for (std::size_t round = 1; round < 2000; ++round) {
          void* const p = memory->allocate(round);
          std::memset(p, 1, round);
          memory->deallocate(p, round);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        memory->deallocate(late, 500);
      });
    }
  }
  for (std::thread& t : threads) t.join();
  CHECK(heap.in_use() == 0);
}
