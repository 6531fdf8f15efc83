#include <flowgraph/cuda/pack.hpp>

#include "emulation/block.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace cuda = flowgraph::cuda;

TEST_CASE("the largest elements of a pack take 16 bytes") {
  CHECK(cuda::pack_size<float> == 4);
  CHECK(cuda::pack_size<float, bool> == 4);
  CHECK(cuda::pack_size<std::uint16_t> == 8);
  CHECK(cuda::pack_size<float, double> == 2);
  CHECK(sizeof(cuda::pack<float, 4>) == 16);
  CHECK(alignof(cuda::pack<bool, 4>) == 4);
}

TEST_CASE("packs and the elements behind them are each element once") {
  std::mt19937_64 random(1);
  emulation::block b(0, random);
  for (const bool packed : {false, true})
    for (const std::int64_t n : {0, 1, 3, 4, 1001}) {
      std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
      int packs = 0;
      cuda::each_pack<4>(b, n, packed, [&]<class N>(N, std::int64_t i) {
        packs += N::value == 4;
        auto p = cuda::load<N::value>(x.data() + i);
        for (int k = 0; k < N::value; ++k) p.at[k] += 1;
        cuda::store(y.data() + i, p);
      });
      CHECK(packs == (packed ? n / 4 : 0));
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == x[i] + 1);
    }
}

TEST_CASE("an operand with the step 0 is one number") {
  alignas(16) const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(cuda::load<4>(x, 4, 1).at[3] == 8);
  CHECK(cuda::load<4>(x, 4, 0).at[3] == 1);
  CHECK(cuda::is_packed(x));
  CHECK_FALSE(cuda::is_packed(x + 1));
}
