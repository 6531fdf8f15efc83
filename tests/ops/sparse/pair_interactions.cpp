#include <flowgraph/ops/sparse/pair_interactions.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <random>

using namespace ops_test;

namespace {

// Features of several samples, one of them without features, and numbers that a double represents exactly.
struct interacting {
  std::int64_t columns, linear, fields;
  std::vector<std::int64_t> splits{0, 3, 3, 4, 9}, field;
  std::vector<double> rows, values;

  interacting(std::int64_t c, std::int64_t l, std::int64_t f = 1) : columns(c), linear(l), fields(f) {
    std::mt19937 random(static_cast<unsigned>(c * 7 + l));
    const auto draw = [&] { return static_cast<double>(static_cast<int>(random() % 17) - 8) / 8; };
    for (std::int64_t i = 0; i < 9; ++i) {
      values.push_back(draw());
      field.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(f)));
      for (std::int64_t k = 0; k < c; ++k) rows.push_back(draw());
    }
  }
  double at(std::int64_t i, std::int64_t k) const { return rows[static_cast<std::size_t>(i * columns + k)]; }
  double value(std::int64_t i) const { return values[static_cast<std::size_t>(i)]; }
  std::int64_t samples() const { return static_cast<std::int64_t>(splits.size()) - 1; }

  std::vector<double> sums(std::int64_t sample, std::int64_t most) const {
    std::vector<double> made(static_cast<std::size_t>(most));
    for (std::int64_t i = splits[static_cast<std::size_t>(sample)]; i < splits[static_cast<std::size_t>(sample) + 1]; ++i)
      for (std::int64_t k = 0; k < most; ++k) made[static_cast<std::size_t>(k)] += value(i) * at(i, k);
    return made;
  }
  template <class F> void for_pairs(std::int64_t sample, F&& f) const {
    const std::int64_t end = splits[static_cast<std::size_t>(sample) + 1];
    for (std::int64_t i = splits[static_cast<std::size_t>(sample)]; i < end; ++i)
      for (std::int64_t j = i + 1; j < end; ++j) f(i, j);
  }
  std::vector<double> expected() const {
    std::vector<double> made;
    for (std::int64_t s = 0; s < samples(); ++s) {
      const auto sum = sums(s, linear);
      made.insert(made.end(), sum.begin(), sum.end());
      for (std::int64_t k = linear; k < columns; ++k) {
        double pairs = 0;
        for_pairs(s, [&](std::int64_t i, std::int64_t j) { pairs += value(i) * at(i, k) * value(j) * at(j, k); });
        made.push_back(pairs);
      }
    }
    return made;
  }
  std::vector<double> expected_by_field() const {
    std::vector<double> made;
    const std::int64_t k = (columns - linear) / fields;
    for (std::int64_t s = 0; s < samples(); ++s) {
      const auto sum = sums(s, linear);
      made.insert(made.end(), sum.begin(), sum.end());
      double pairs = 0;
      for_pairs(s, [&](std::int64_t i, std::int64_t j) {
        for (std::int64_t c = 0; c < k; ++c)
          pairs += value(i) * value(j) * at(i, linear + field[static_cast<std::size_t>(j)] * k + c) *
                   at(j, linear + field[static_cast<std::size_t>(i)] * k + c);
      });
      made.push_back(pairs);
    }
    return made;
  }
  fg::tensor<double> row_tensor() const { return fg::tensor<double>({9, columns}, rows); }
  fg::tensor<double> value_tensor() const { return fg::tensor<double>({9}, values); }
  fg::tensor<std::int64_t> split_tensor() const { return fg::tensor<std::int64_t>({5}, splits); }
  fg::tensor<std::int64_t> field_tensor() const { return fg::tensor<std::int64_t>({9}, field); }
};

// Compares the gradients of sum(y^2) with differences of the loss.
template <class F> void check_interaction_gradients(const interacting& x, F&& y) {
  fg::graph g;
  const auto rows = g.placeholder<double>("rows", {9, x.columns}), of = g.placeholder<double>("values", {9});
  const auto loss = fg::sum(fg::square(y(g, rows, of)));
  const auto [by_rows, by_values] = fg::gradients(loss, rows, of);
  fg::session s{g};
  const auto run = [&](const std::vector<double>& r, const std::vector<double>& v) {
    const fg::tensor<double> fed_rows({9, x.columns}, r), fed_values({9}, v);
    return s.run(fg::fetch(loss), {{rows, fed_rows}, {of, fed_values}}).scalar();
  };
  const auto [drows, dvalues] = s.run(fg::fetch(by_rows, by_values), {{rows, x.row_tensor()}, {of, x.value_tensor()}});
  constexpr double h = 1e-4;
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    auto more = x.rows, less = x.rows;
    more[i] += h, less[i] -= h;
    CHECK(std::abs(drows[i] - (run(more, x.values) - run(less, x.values)) / (2 * h)) < 1e-6);
  }
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    auto more = x.values, less = x.values;
    more[i] += h, less[i] -= h;
    CHECK(std::abs(dvalues[i] - (run(x.rows, more) - run(x.rows, less)) / (2 * h)) < 1e-6);
  }
}

template <class T> std::string refusal_of_pairs(std::vector<std::int64_t> splits, std::vector<std::int64_t> fields) {
  fg::graph g;
  const auto rows = g.constant(fg::tensor<T>({2, 3})), of = g.constant(fg::tensor<T>({2}));
  const auto at = g.placeholder<std::int64_t>("splits", {fg::any}), field = g.placeholder<std::int64_t>("fields", {fg::any});
  fg::session s{g};
  const auto n = static_cast<std::int64_t>(splits.size()), m = static_cast<std::int64_t>(fields.size());
  const auto made = s.try_run(fg::fetch(fg::field_pair_interactions(rows, of, field, at, 3)),
                              {{at, fg::tensor<std::int64_t>({n}, splits)}, {field, fg::tensor<std::int64_t>({m}, fields)}});
  return made ? std::string() : made.error().what();
}

}  // namespace

TEST_CASE("the interactions of pairs are those of a loop over all pairs, for each number of columns") {
  for (std::int64_t columns : {1, 3, 4, 9, 13, 17})
    for (std::int64_t linear : {std::int64_t{0}, std::int64_t{1}, columns}) {
      CAPTURE(columns);
      CAPTURE(linear);
      const interacting x(columns, linear);
      const auto y = evaluate([&](const auto& r, const auto& v, const auto& s) { return fg::pair_interactions(r, v, s, linear); },
                              x.row_tensor(), x.value_tensor(), x.split_tensor());
      CHECK(y.shape() == fg::shape{4, columns});
      CHECK(values(y) == x.expected());
      if (columns < 10)
        check_interaction_gradients(x, [&](fg::graph& g, const auto& r, const auto& v) {
          return fg::pair_interactions(r, v, g.constant(x.split_tensor()), linear);
        });
    }
}

TEST_CASE("the interactions by field are those of a loop over all pairs, for each number of factors") {
  for (std::int64_t factors : {0, 1, 4, 6, 8, 13}) {
    CAPTURE(factors);
    const interacting x(2 + 3 * factors, 2, 3);
    const auto y = evaluate(
        [&](const auto& r, const auto& v, const auto& f, const auto& s) { return fg::field_pair_interactions(r, v, f, s, 3, 2); },
        x.row_tensor(), x.value_tensor(), x.field_tensor(), x.split_tensor());
    CHECK(y.shape() == fg::shape{4, 3});
    CHECK(values(y) == x.expected_by_field());
    if (factors < 8)
      check_interaction_gradients(x, [&](fg::graph& g, const auto& r, const auto& v) {
        return fg::field_pair_interactions(r, v, g.constant(x.field_tensor()), g.constant(x.split_tensor()), 3, 2);
      });
  }
}

TEST_CASE("interactions of many samples have the same bits on any number of threads") {
  constexpr std::int64_t samples = 900, each = 7, columns = 10;
  std::mt19937 random(5);
  fg::tensor<float> rows({samples * each, columns}), of({samples * each});
  fg::tensor<std::int64_t> splits({samples + 1}), fields({samples * each});
  for (float& x : rows.writable()) x = static_cast<float>(random() % 1000) / 999.f - 0.5f;
  for (float& x : of.writable()) x = static_cast<float>(random() % 1000) / 999.f;
  for (std::int64_t& x : fields.writable()) x = static_cast<std::int64_t>(random() % 3);
  for (std::size_t i = 0; i < splits.size(); ++i) splits.writable()[i] = static_cast<std::int64_t>(i) * each;
  evaluate_on_threads(
      [](const auto& r, const auto& v, const auto& s) {
        return fg::gradients(fg::sum(fg::square(fg::pair_interactions(r, v, s, 1))), r).dense();
      },
      rows, of, splits);
  evaluate_on_threads(
      [](const auto& r, const auto& v, const auto& f, const auto& s) {
        return fg::gradients(fg::sum(fg::square(fg::field_pair_interactions(r, v, f, s, 3, 1))), r).dense();
      },
      rows, of, fields, splits);
}

TEST_CASE("wrong splits and fields end in an error that names them") {
  CHECK(refusal_of_pairs<float>({0, 1, 2}, {0, 2}).empty());
  CHECK(says(fg::error(fg::error_code::unknown, refusal_of_pairs<float>({1, 2}, {0, 2})), "splits must begin with 0, found 1"));
  CHECK(refusal_of_pairs<float>({0, 3, 2}, {0, 2}).find("splits must not decrease, found 2 after 3 at 2") != std::string::npos);
  CHECK(refusal_of_pairs<double>({0, 1}, {0, 2}).find("the number of rows, 2, found 1") != std::string::npos);
  CHECK(refusal_of_pairs<double>({}, {0, 2}).find("at least one element") != std::string::npos);
  CHECK(refusal_of_pairs<float>({0, 2}, {0, 3}).find("field 3 of feature 1 is not in [0, 3)") != std::string::npos);
  CHECK(refusal_of_pairs<float>({0, 2}, {-1, 0}).find("field -1 of feature 0") != std::string::npos);
  CHECK(refusal_of_pairs<float>({0, 2}, {0}).find("found 2 values and 1 fields") != std::string::npos);
}
