#include <flowgraph/cuda/broadcast_axes.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("axes that can be walked as one are one axis") {
  const fg::cuda::broadcast_axes<2> same({2, 3, 4}, {fg::shape{2, 3, 4}, fg::shape{2, 3, 4}});
  CHECK(same.rank == 1);
  CHECK(same.extents[0] == 24);
  CHECK(same.place(17, 0) == 17);
  const fg::cuda::broadcast_axes<1> none(fg::shape{}, {fg::shape{}});
  CHECK(none.rank == 0);
  CHECK(none.place(0, 0) == 0);
}

TEST_CASE("an operand is repeated along the axes that it does not have") {
  const fg::cuda::broadcast_axes<3> all({2, 3, 4}, {fg::shape{2, 3, 4}, fg::shape{3, 1}, fg::shape{}});
  for (std::int64_t i = 0; i < 24; ++i) {
    CHECK(all.place(i, 0) == i);
    CHECK(all.place(i, 1) == i / 4 % 3);
    CHECK(all.place(i, 2) == 0);
  }
}
