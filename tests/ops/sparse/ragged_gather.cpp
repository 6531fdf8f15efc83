#include <flowgraph/ops/sparse/ragged_gather.hpp>

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

using ragged_lists = std::vector<std::vector<std::int64_t>>;

// Selects rows of a ragged tensor: the splits of the result, and its values.
struct gathered {
  ragged_lists splits;
  std::vector<float> elements;
};
fg::result<gathered> try_ragged_gather(const ragged_lists& splits, const fg::tensor<float>& elements,
                                       const fg::tensor<std::int32_t>& indices, std::int64_t rank) {
  fg::graph g;
  fg::out_list<std::int64_t> rows;
  for (const auto& s : splits) {
    fg::tensor<std::int64_t> t({static_cast<std::int64_t>(s.size())});
    std::copy(s.begin(), s.end(), t.writable().begin());
    rows.push_back(g.constant(t));
  }
  const auto at = g.placeholder<std::int32_t>("at", fg::shape::unknown());
  const auto [made, moved] = fg::apply(fg::ragged_gather_op{rank}, rows, g.constant(elements), at);
  std::vector<fg::any_out> fetches{moved};
  fetches.insert(fetches.end(), made.begin(), made.end());
  fg::session s{g};
  const fg::fed feeds[] = {{at, indices}};
  const auto found = s.try_run(fg::run_request{feeds, fetches});
  if (!found) return found.error();
  gathered all;
  all.elements = values(fg::tensor<float>::from((*found)[0]).value());
  for (std::size_t i = 1; i < found->size(); ++i)
    all.splits.push_back(values(fg::tensor<std::int64_t>::from((*found)[i]).value()));
  return all;
}

const auto one_to_three = vector<float>({1, 2, 3});

}  // namespace

TEST_CASE("rows of a ragged tensor are selected by index") {
  const auto some = try_ragged_gather({{0, 2, 2, 3}}, one_to_three, vector<std::int32_t>({2, 0, 0}), 1).value();
  CHECK(some.splits == ragged_lists{{0, 1, 3, 5}});
  CHECK(some.elements == std::vector<float>{3, 1, 2, 1, 2});
  const auto deep = try_ragged_gather({{0, 1, 3}, {0, 2, 2, 3}}, one_to_three, vector<std::int32_t>({1, 0, 1}), 2).value();
  CHECK(deep.splits == ragged_lists{{0, 2, 3, 5}, {0, 0, 1, 3, 3, 4}});
  CHECK(deep.elements == std::vector<float>{3, 1, 2, 3});
  const auto row = try_ragged_gather({{0, 2, 2, 3}}, one_to_three, fg::tensor<std::int32_t>(0), 0).value();
  CHECK(row.splits.empty());
  CHECK(row.elements == std::vector<float>{1, 2});
}

TEST_CASE("indices with several axes select rows of rows") {
  const fg::tensor<std::int32_t> indices({2, 2}, {2, 0, 0, 1});
  const auto matrix = try_ragged_gather({{0, 2, 2, 3}}, one_to_three, indices, 2).value();
  CHECK(matrix.splits == ragged_lists{{0, 2, 4}, {0, 1, 3, 5, 5}});
  const auto none = try_ragged_gather({{0, 2, 2, 3}}, one_to_three, fg::tensor<std::int32_t>({3, 0, 2}), 3).value();
  CHECK(none.splits == ragged_lists{{0, 0, 0, 0}, {0}, {0}});
}

TEST_CASE("wrong splits, indices out of range and a wrong rank are refused") {
  const auto code = [](const ragged_lists& splits, std::int32_t index, std::int64_t rank = 1) {
    const auto found = try_ragged_gather(splits, one_to_three, vector<std::int32_t>({index}), rank);
    REQUIRE_FALSE(found);
    return found.error().code();
  };
  constexpr auto wrong = fg::error_code::invalid_argument;
  CHECK(code({{0, 2, 2, 3}}, 3) == wrong);
  CHECK(code({{0, 2, 2, 3}}, -1) == wrong);
  CHECK(code({{0, 2, 9, 3}}, 0) == wrong);
  CHECK(code({{0, 2, 2, 9}}, 0) == wrong);
  CHECK(code({{-1, 2, 3}}, 0) == wrong);
  CHECK(code({{}}, 0) == wrong);
  CHECK(code({{0, 1, 4}, {0, 2, 2, 3}}, 1, 2) == wrong);
  CHECK(code({{0, 2, 2, 3}}, 0, 2) == wrong);
}

TEST_CASE("the gradient of selected rows goes to their values, also of nested rows") {
  fg::graph g;
  const auto x = g.constant(one_to_three);
  const fg::ragged_tensor<float> rows{
      {g.constant(vector<std::int64_t>({0, 1, 3})), g.constant(vector<std::int64_t>({0, 2, 2, 3}))}, x};
  const auto y = fg::ragged_gather(rows, g.constant(vector<std::int64_t>({1, 0, 1})));
  REQUIRE(y.row_splits.size() == 2);
  const fg::out<float> dx = fg::gradients(fg::sum(fg::square(y.values)), x);
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(dx))) == std::vector<float>{2, 4, 12});
}
