#include <flowgraph/ops/array/embedding.hpp>

#include "../evaluate.hpp"

using namespace ops_test;
using floats = std::vector<float>;

namespace {

// Row r of a table is {2r, 2r + 1}; cut into parts as the strategy has it.
fg::out_list<float> cut(fg::graph& g, std::int64_t rows, std::int64_t parts, fg::partition_strategy how) {
  std::vector<floats> all(static_cast<std::size_t>(parts));
  const std::int64_t size = rows / parts, longer = rows % parts;
  for (std::int64_t r = 0, p = 0, left = size + (longer > 0); r < rows; ++r, --left) {
    if (how == fg::partition_strategy::div && left == 0) left = size + (++p < longer);
    floats& part = all[static_cast<std::size_t>(how == fg::partition_strategy::mod ? r % parts : p)];
    part.push_back(static_cast<float>(2 * r));
    part.push_back(static_cast<float>(2 * r + 1));
  }
  fg::out_list<float> made;
  for (const floats& part : all)
    made.push_back(g.constant(fg::tensor<float>({static_cast<std::int64_t>(part.size()) / 2, 2}, std::span<const float>(part))));
  return made;
}
floats gathered(const std::vector<std::int64_t>& ids) {
  floats made;
  for (const std::int64_t i : ids) made.insert(made.end(), {static_cast<float>(2 * i), static_cast<float>(2 * i + 1)});
  return made;
}

}  // namespace

TEST_CASE("a table in parts looks like one") {
  for (const auto how : {fg::partition_strategy::mod, fg::partition_strategy::div}) {
    for (const std::int64_t parts : {1, 2, 3, 4}) {
      fg::graph g;
      const auto table = cut(g, 10, parts, how);
      auto ids = g.placeholder<std::int64_t>("ids", fg::shape::unknown());
      auto rows = fg::embedding_lookup(table, ids, how);
      fg::session s{g};
      const std::vector<std::int64_t> some{9, 0, 3, 3, 5, 6, 7, 1}, every{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
      const auto y = s.run(fg::fetch(rows), {{ids, fg::tensor<std::int64_t>({2, 4}, std::span<const std::int64_t>(some))}});
      CHECK(y.shape() == fg::shape{2, 4, 2});
      CHECK(values(y) == gathered(some));
      CHECK(values(s.run(fg::fetch(rows), {{ids, fg::tensor<std::int64_t>({10}, std::span<const std::int64_t>(every))}})) ==
            gathered(every));
      CHECK(s.run(fg::fetch(rows), {{ids, fg::tensor<std::int64_t>({0})}}).shape() == fg::shape{0, 2});
      for (const std::int64_t wild : {-1, 10, 1000}) {
        auto run = s.try_run(fg::fetch(rows), {{ids, fg::tensor<std::int64_t>({2}, {0, wild})}});
        REQUIRE(!run.has_value());
        CHECK(run.error().code() == fg::error_code::invalid_argument);
      }
    }
  }
}

TEST_CASE("the gradient names the rows that were looked up in each part") {
  fg::graph g;
  const auto table = cut(g, 5, 2, fg::partition_strategy::mod);  // rows 0, 2, 4 and rows 1, 3
  auto rows = fg::embedding_lookup(table, g.constant(vector<std::int32_t>({4, 1, 4})));
  auto weights = g.constant(fg::tensor<float>({3, 1}, {1, 10, 100}));
  const auto parts = fg::gradients(fg::sum(rows * weights), table);
  REQUIRE(parts[0].is_slices());
  REQUIRE(parts[1].is_slices());
  fg::session s{g};
  const auto [i, d0, d1] = s.run(fg::fetch(parts[0].slices().indices, fg::out<float>(parts[0]), fg::out<float>(parts[1])));
  CHECK(values(i) == std::vector<std::int64_t>{2, 2});
  CHECK(values(d0) == floats{0, 0, 0, 0, 101, 101});
  CHECK(values(d1) == floats{10, 10, 0, 0});
}

TEST_CASE("the rows of a line are combined, with and without weights") {
  for (const std::int64_t parts : {1, 2}) {
    fg::graph g;
    const auto table = cut(g, 5, parts, fg::partition_strategy::mod);
    auto ids = g.constant(vector<std::int64_t>({1, 3, 0, 4, 4, 2})), lines = g.constant(vector<std::int64_t>({0, 0, 2, 3, 3, 3}));
    auto weights = g.constant(vector<float>({1, 2, 0.5f, 1, 1, -2}));
    fg::session s{g};
    auto close = [&](const fg::out<float>& y, const floats& expected) {
      const auto found = s.run(fg::fetch(y));
      CHECK(found.shape() == fg::shape{4, 2});
      for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]));
    };
    using fg::combiner;
    close(fg::embedding_lookup_sparse(table, ids, lines, combiner::sum), {8, 10, 0, 0, 0, 1, 20, 23});
    close(fg::embedding_lookup_sparse(table, ids, lines), {4, 5, 0, 0, 0, 1, 6.666667f, 7.666667f});
    close(fg::embedding_lookup_sparse(table, ids, lines, combiner::sqrt_n),
          {5.656854f, 7.071068f, 0, 0, 0, 1, 11.547004f, 13.279056f});
    close(fg::embedding_lookup_sparse(table, ids, lines, weights, combiner::sum), {14, 17, 0, 0, 0, 0.5f, 8, 8});
    close(fg::embedding_lookup_sparse(table, ids, lines, weights), {4.666667f, 5.666667f, 0, 0, 0, 1, 0, 0});
    close(fg::embedding_lookup_sparse(table, ids, lines, weights, combiner::sqrt_n),
          {6.260990f, 7.602631f, 0, 0, 0, 1, 3.265986f, 3.265986f});
  }
}
