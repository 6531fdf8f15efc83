#include <flowgraph/ops/strings/cross.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

// Columns of a cross with 3 rows; the first has the rows `rows`.
template <class T>
fg::sparse_tensor<T> feature_column(fg::graph& g, std::vector<std::int64_t> rows, const fg::tensor<T>& x,
                                    std::int64_t batch = 3) {
  fg::tensor<std::int64_t> places({static_cast<std::int64_t>(rows.size()), 2});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places.writable()[2 * i] = rows[i];
    places.writable()[2 * i + 1] = 0;
  }
  return {g.constant(places), g.constant(x), g.constant(vector<std::int64_t>({batch, 2}))};
}
const fg::tensor<std::string> three_words({3}, {"a", "b", "c"}), four_words({4}, {"x", "y", "z", "w"});

// The crosses of columns that `add` adds.
template <class F> std::vector<std::string> joined_features(F add, std::string_view separator = "_") {
  fg::graph g;
  fg::crossed_columns columns;
  add(g, columns);
  fg::session s{g};
  return values(s.run(fg::fetch(fg::sparse_cross(columns, separator).values)));
}
template <class F> std::vector<std::int64_t> hashed_features(F add, const fg::hashed_cross_options& options) {
  fg::graph g;
  fg::crossed_columns columns;
  add(g, columns);
  fg::session s{g};
  return values(s.run(fg::fetch(fg::sparse_cross_hashed(columns, options).values)));
}

const auto two_columns = [](fg::graph& g, fg::crossed_columns& to) {
  to.add(feature_column(g, {0, 0, 2}, three_words)).add(feature_column(g, {0, 1, 2, 2}, four_words));
};

}  // namespace

TEST_CASE("the features of each row are combined, those of the last column first") {
  CHECK(joined_features(two_columns) == std::vector<std::string>{"a_x", "b_x", "c_z", "c_w"});
  const auto mixed = [](fg::graph& g, fg::crossed_columns& to) {
    to.add(feature_column(g, {0, 0, 2}, vector<std::int64_t>({1, -2, 3})));
    to.add(g.constant(fg::tensor<std::string>({3, 2}, {"p", "q", "r", "s", "t", "u"})));
  };
  CHECK(joined_features(mixed, "-") == std::vector<std::string>{"1-p", "1-q", "-2-p", "-2-q", "3-t", "3-u"});
}

TEST_CASE("crossed features are hashed as in TensorFlow") {
  CHECK(hashed_features(two_columns, {.num_buckets = 100}) == std::vector<std::int64_t>{38, 20, 18, 60});
  CHECK(hashed_features(two_columns, {}) ==
        std::vector<std::int64_t>{598440913169127831, 4641000509844720313, 1621918656961971918, 4162198233228194460});
  CHECK(hashed_features(two_columns, {.strong_hash = true, .salt = {5, 7}}) ==
        std::vector<std::int64_t>{1889638828275881035, 4406388438921406841, 3885566717146620686, 7670508543184115462});
  const auto numbers = [](fg::graph& g, fg::crossed_columns& to) {
    to.add(feature_column(g, {0, 0, 2}, vector<std::int64_t>({1, 2, -3})));
  };
  CHECK(hashed_features(numbers, {}) == std::vector<std::int64_t>{7601041269982238804, 6706320920252439311, 3607656348661279943});
}

TEST_CASE("elements that are not in the order of their rows hide the elements after them") {
  const auto with_rows = [](std::vector<std::int64_t> rows) {
    return joined_features([&](fg::graph& g, fg::crossed_columns& to) { to.add(feature_column(g, rows, three_words)); });
  };
  CHECK(with_rows({0, 2, 0}) == std::vector<std::string>{"a", "b"});
  CHECK(with_rows({2, 0, 0}) == std::vector<std::string>{"a"});
  CHECK(with_rows({3, 0, 0}).empty());
  CHECK(with_rows({-1, 0, 0}).empty());
}

TEST_CASE("columns with different numbers of rows, and features of other types are refused") {
  const auto more_rows = [](fg::graph& g, fg::crossed_columns& to) {
    to.add(feature_column(g, {0, 0, 2}, three_words)).add(feature_column(g, {0, 1, 2, 2}, four_words, 4));
  };
  CHECK_THROWS(joined_features(more_rows));
  const auto reals = [](fg::graph& g, fg::crossed_columns& to) { to.dense.push_back(g.constant(fg::tensor<float>({3, 1}))); };
  CHECK_THROWS(joined_features(reals));
}
