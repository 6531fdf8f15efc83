#include <flowgraph/ops/strings/edit_distance.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;

TEST_CASE("the edit distance of sequences, by the length of the true one") {
  fg::graph g;
  const auto extents = g.constant(fg::tensor<std::int64_t>({2}, {2, 3}));
  const auto indices = g.constant(fg::tensor<std::int64_t>({3, 2}, {0, 0, 0, 1, 0, 2}));
  const auto true_indices = g.constant(fg::tensor<std::int64_t>({3, 2}, {0, 0, 0, 1, 1, 0}));
  const auto found = g.constant(fg::tensor<std::string>({3}, {"a", "b", "c"}));
  const auto expected = g.constant(fg::tensor<std::string>({3}, {"a", "c", "d"}));
  const auto distance = [&](bool normalize) {
    fg::edit_distance_op op;
    op.normalize = normalize;
    return fg::apply(fg::site{}, op, indices, found, extents, true_indices, expected, extents);
  };
  fg::session s{g};
  const auto plain = s.run(fg::fetch(distance(false))), shares = s.run(fg::fetch(distance(true)));
  CHECK(std::vector<float>(plain.begin(), plain.end()) == std::vector<float>{1, 1});
  CHECK(std::vector<float>(shares.begin(), shares.end()) == std::vector<float>{0.5f, 1});
}
