#include <flowgraph/cuda/block.hpp>

#include "emulation/block.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace cuda = flowgraph::cuda;

TEST_CASE("the fault of the lowest call and position is the lowest word") {
  CHECK(cuda::fault_at(0, 7) < cuda::fault_at(1, 0));
  CHECK(cuda::fault_at(3, 1) < cuda::fault_at(3, 2));
  CHECK(cuda::fault_at(1 << 19, 0) < cuda::no_fault);
}

TEST_CASE("a phase calls the function once for each index, and later phases see what it wrote") {
  std::mt19937_64 random(1);
  emulation::block b(5, random);
  CHECK(b.index() == 5);
  for (const std::int64_t n : {0, 1, 255, 256, 1000}) {
    std::vector<int> calls(static_cast<std::size_t>(n));
    b.each(n, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    for (const int count : calls) CHECK(count == 1);
  }
  int* const shared = b.shared<int>();
  auto own = b.own<int>(3);
  b.each(cuda::threads_per_block, [&](std::int64_t i) { shared[i] = ++own[i]; });
  b.each(1, [&](std::int64_t) { CHECK(shared[200] == 4); });
}
