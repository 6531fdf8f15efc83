#include <flowgraph/ops/strings/hash_bucket.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;

// Numbers that TensorFlow 2.21 gave.
TEST_CASE("hash buckets: the numbers are those of other programs") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({2}, {"hello", "no separator"}));
  fg::session s{g};
  const auto all = [&](fg::out<std::int64_t> y) {
    const auto found = s.run(fg::fetch(y));
    return std::vector<std::int64_t>(found.begin(), found.end());
  };
  constexpr std::int64_t buckets = std::int64_t{1} << 31;
  CHECK(all(fg::string_to_hash_bucket(x, buckets)) == std::vector<std::int64_t>{825756904, 1881718417});
  CHECK(all(fg::string_to_hash_bucket_strong(x, buckets, {7, 99})) == std::vector<std::int64_t>{1158115029, 1533904719});
  fg::string_to_hash_bucket_op old;
  old.num_buckets = 10;
  CHECK(all(fg::apply(old, x)) == std::vector<std::int64_t>{8, 9});
}
