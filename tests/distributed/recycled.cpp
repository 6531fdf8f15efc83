#include <flowgraph/distributed/recycled.hpp>

#include <distributed/memory/tensor_memory.hpp>

#include <doctest/doctest.h>

#include "../harness/sanitized.hpp"

#include <cstring>
#include <initializer_list>
#include <thread>
#include <vector>

#include <malloc.h>

namespace fg = flowgraph;

namespace {

void* there_and_back(std::size_t bytes) {
  void* const block = fg::detail::take_block(bytes);
  std::memset(block, 0, bytes);
  fg::detail::give_back_block(block, bytes);
  return block;
}

}  // namespace

TEST_CASE("recycled: what is given back comes for the next of its size, small or large") {
  for (const std::size_t bytes : std::initializer_list<std::size_t>{1, 64, 65, 2048, 2049, 5000, 65536, 65537, 1'000'000}) {
    const void* const first = there_and_back(bytes);
    if (SEES_ADDRESSES) continue;  // if no memory is kept
    CHECK_MESSAGE(there_and_back(bytes) == first, bytes);
    void* const kept = fg::detail::take_block(bytes);
    CHECK_MESSAGE(there_and_back(bytes) != kept, bytes);
    fg::detail::give_back_block(kept, bytes);
  }
}

TEST_CASE("recycled: no block is smaller than what is asked for, whoever had it before") {
  for (std::size_t bytes = 1; bytes < 20'000; bytes += bytes < 4200 ? 1 : 97) {
    there_and_back(bytes);
    void* const block = fg::detail::take_block(bytes + 1);
    CHECK(malloc_usable_size(block) > bytes);
    fg::detail::give_back_block(block, bytes + 1);
  }
}

TEST_CASE("recycled: threads give back what others have taken, and may end with it") {
  std::vector<void*> blocks;
  for (int round = 0; round < 50; ++round) {
    std::thread([&] {
      for (int i = 0; i < 200; ++i) {
        blocks.push_back(fg::detail::take_block(100));
        std::memset(blocks.back(), round, 100);
      }
    }).join();
    std::thread([&] {
      for (void* const b : blocks) fg::detail::give_back_block(b, 100);
    }).join();
    blocks.clear();
  }
}

TEST_CASE("recycled: containers use them, and tensors of tasks") {
  fg::recycled_map<int, fg::recycled_text> texts;
  for (int i = 0; i < 100; ++i) texts[i] = std::string(static_cast<std::size_t>(i), 'x');
  for (const auto& [i, text] : texts) CHECK(text.size() == static_cast<std::size_t>(i));
  fg::recycled_list<int> numbers;
  for (int i = 0; i < 10'000; ++i) numbers.push_back(i);
  CHECK(numbers[9999] == 9999);

  auto* const memory = fg::distributed::tensor_memory();
  for (const std::size_t alignment : std::initializer_list<std::size_t>{8, 16, 64, 4096}) {
    void* const p = memory->allocate(1000, alignment);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
    memory->deallocate(p, 1000, alignment);
  }
}
