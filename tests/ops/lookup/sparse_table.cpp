#include <flowgraph/ops/lookup/sparse_table.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/lookup/keyed_rows.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include <filesystem>
#include <random>

namespace fg = flowgraph;
using fg::error_code;

namespace {

using key_list = std::vector<std::int64_t>;

struct table_files {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("sparse_table_" + std::to_string(std::random_device()()));
  table_files() { std::filesystem::create_directories(path); }
  ~table_files() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

// A table, and the calls that tests make of it.
struct trained_table {
  fg::graph g;
  fg::sparse_table<float> t;
  fg::out<std::int64_t> keys = g.placeholder<std::int64_t>("keys", {fg::any});
  fg::out<float> gradients = g.placeholder<float>("gradients", {fg::any, 2});
  fg::out<float> rows = t.lookup(keys), peeked = t.peek(keys);
  fg::out<std::int64_t> size = t.size();
  fg::session s;

  explicit trained_table(fg::sparse_table_options o = {}, const fg::session_options& so = {}) : t(g, two_columns(o)), s(g, so) {}
  static fg::sparse_table_options two_columns(fg::sparse_table_options o) {
    o.columns = 2;
    return o;
  }

  static fg::tensor<std::int64_t> of(const key_list& k) { return fg::tensor<std::int64_t>({k.size()}, k); }
  std::vector<float> look(fg::out<float> what, const key_list& k) {
    const auto made = s.run(fg::fetch(what), {{keys, of(k)}});
    return {made.begin(), made.end()};
  }
  fg::result<void> update(fg::target what, const key_list& k, const std::vector<float>& change) {
    return s.try_run(what,
                     {{keys, of(k)}, {gradients, fg::tensor<float>({static_cast<std::int64_t>(change.size() / 2), 2}, change)}});
  }
  fg::out<float> number(float x) { return g.constant(x); }
};

}  // namespace

TEST_CASE("a sparse table: rows appear at a lookup, not at a peek, and keep their values") {
  trained_table w({.seed = 3, .initial_scale = 1});
  CHECK(w.rows.shape() == fg::shape{fg::any, 2});
  const std::vector<float> before = w.look(w.peeked, {5, -6, 5});
  CHECK(w.s.run(fg::fetch(w.size)).scalar() == 0);
  CHECK(w.look(w.rows, {5, -6, 5}) == before);
  CHECK(before[0] == before[4]);
  CHECK(before[0] != before[2]);
  CHECK(w.s.run(fg::fetch(w.size)).scalar() == 2);
  const auto matrix = fg::embedding_lookup(w.t, w.g.constant(fg::tensor<std::int32_t>({2, 1}, {-6, 5})));
  CHECK(matrix.shape() == fg::shape{2, 1, 2});
  const auto made = w.s.run(fg::fetch(matrix));
  CHECK(std::vector<float>(made.begin(), made.end()) == std::vector<float>{before[2], before[3], before[0], before[1]});
}

TEST_CASE("a sparse table: each rule updates a row once, with the sum of its gradients") {
  trained_table w({.initial_scale = 0});
  const auto sgd = fg::apply(fg::sparse_table_apply_gradient_descent_op{}, w.t.handle(), w.number(0.5f), w.gradients, w.keys);
  CHECK(w.update(sgd, {1, 2, 1}, {1, 2, 3, 4, 5, 6}));
  CHECK(w.look(w.rows, {1, 2}) == std::vector<float>{-3, -4, -1.5f, -2});
  CHECK(w.update(sgd, {}, {}));
  CHECK(w.update(sgd, {1, 2}, {1, 2}).error().code() == error_code::invalid_argument);

  trained_table a({.initial_scale = 0});
  fg::sparse_table_apply_adagrad_op op;
  op.initial_state = 7;
  const auto adagrad = fg::apply(op, a.t.handle(), a.number(2), a.gradients, a.keys);
  CHECK(a.update(adagrad, {1, 1}, {2, 0, 1, 3}));
  CHECK(a.look(a.rows, {1}) == std::vector<float>{-1.5f, -1.5f});

  trained_table f({.initial_scale = 0});
  const auto one = f.number(1);
  const auto ftrl = [&](float rate) {
    return fg::apply(fg::site{}, fg::sparse_table_apply_ftrl_op{}, f.t.handle(), f.number(rate), one, one, f.number(-0.5f),
                     f.gradients, f.keys);
  };
  CHECK(f.update(ftrl(0), {1}, {1, 1}).error().code() == error_code::invalid_argument);
}

TEST_CASE("a sparse table: momentum, Adam, RMSProp, Adadelta and FTRL agree with their formulas for one step") {
  const auto first = []<class Op, std::size_t N>(Op op, float initial, const float(&scalars)[N]) {
    trained_table w({.initial_scale = 0});
    op.initial_state = initial;
    const fg::target update = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return fg::apply(fg::site{}, op, w.t.handle(), w.number(scalars[I])..., w.gradients, w.keys);
    }(std::make_index_sequence<N>{});
    CHECK(w.update(update, {9}, {2, -4}));
    return w.look(w.rows, {9});
  };
  const auto is_about = [](const std::vector<float>& found, float a, float b) {
    CHECK(found[0] == doctest::Approx(a));
    CHECK(found[1] == doctest::Approx(b));
  };
  is_about(first(fg::sparse_table_apply_momentum_op{}, 0, {0.5f, 0.9f}), -1, 2);
  is_about(first(fg::sparse_table_apply_adam_op{}, 0, {0.9f, 0.999f, 0.1f, 0.9f, 0.999f, 1e-8f}), -0.1f, 0.1f);
  is_about(first(fg::sparse_table_apply_rms_prop_op{}, 0, {0.5f, 0.75f, 0, 0}), -1, 1);
  is_about(first(fg::sparse_table_apply_adadelta_op{}, 0, {1, 0, 1}), -2 / std::sqrt(5.f), 4 / std::sqrt(17.f));
  is_about(first(fg::sparse_table_apply_ftrl_op{}, 0, {1, 0, 0, -0.5f}), -1, 1);
}

TEST_CASE("a sparse table: gradients are slices that name the keys") {
  trained_table w;
  const auto loss = fg::sum(w.rows * w.rows);
  const auto parts = fg::gradients(loss, w.t.anchor());
  REQUIRE(parts.is_slices());
  const auto slices = parts.slices();
  auto [values, keys, rows] = w.s.run(fg::fetch(slices.values, slices.indices, w.rows), {{w.keys, trained_table::of({8, 3, 8})}});
  CHECK(key_list(keys.begin(), keys.end()) == key_list{8, 3, 8});
  for (std::size_t i = 0; i < 6; ++i) CHECK(values[i] == 2 * rows[i]);
}

namespace {

// Interactions of the rows of a table, and the expected results, which ops compute from a copy of the rows.
template <class T> void check_table_interactions(bool without_locks) {
  fg::graph g;
  const fg::sparse_table<T> table(g, {.columns = 9, .seed = 5, .initial_scale = 1, .without_locks = without_locks});
  const auto keys = g.constant(fg::tensor<std::int64_t>({6}, {4, -8, 4, 15, 16, -8}));
  const auto values = g.constant(fg::tensor<float>({6}, {1, -2, 0.5f, 3, 0.25f, 1}));
  const auto splits = g.constant(fg::tensor<std::int64_t>({4}, {0, 3, 3, 6}));
  const auto rows = table.lookup(keys);
  const auto made = table.interactions(keys, values, splits, 1);
  CHECK(made.sums.shape() == fg::shape{3, 9});
  const auto plain = fg::pair_interactions(rows, values, splits, 1);
  const auto factor = g.constant(fg::tensor<float>({9}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const auto objective = fg::sum(made.sums * factor) + 3.f * fg::sum(made.squares * factor);
  const auto same = fg::sum(plain * factor) + 3.f * fg::sum(rows * rows * factor) / 2.f;
  const auto slices = fg::gradients(objective, table.anchor()).slices(), expected = fg::gradients(same, table.anchor()).slices();
  const auto slope_of_values = fg::gradients(objective, values).dense(), expected_of_values = fg::gradients(same, values).dense();
  fg::session s(g);
  auto [y, y_of_copy, drows, drows_of_copy, dvalues, dvalues_of_copy, named] =
      s.run(fg::fetch(made.sums, plain, slices.values, expected.values, slope_of_values, expected_of_values, slices.indices));
  for (std::size_t i = 0; i < 27; ++i) CHECK(y[i] == y_of_copy[i]);
  for (std::size_t i = 0; i < 54; ++i) CHECK(drows[i] == doctest::Approx(drows_of_copy[i]));
  for (std::size_t i = 0; i < 6; ++i) CHECK(dvalues[i] == doctest::Approx(dvalues_of_copy[i]));
  CHECK(key_list(named.begin(), named.end()) == key_list{4, -8, 4, 15, 16, -8});

  const auto bad = g.constant(fg::tensor<std::int64_t>({3}, {0, 4, 3}));
  CHECK(s.try_run(fg::fetch(table.interactions(keys, values, bad).sums)).error().code() == error_code::invalid_argument);
}

}  // namespace

TEST_CASE("a sparse table: interactions of rows and their gradients are those of a copy of the rows") {
  check_table_interactions<float>(false);
  check_table_interactions<float>(true);
  check_table_interactions<fg::half>(false);
  check_table_interactions<fg::bfloat16>(true);
}

namespace {

// The same for interactions by field. Two features of a sample have the same field.
template <class T> void check_field_table_interactions(bool without_locks) {
  fg::graph g;
  const fg::sparse_table<T> table(g, {.columns = 16, .seed = 5, .initial_scale = 1, .without_locks = without_locks});
  const auto keys = g.constant(fg::tensor<std::int64_t>({6}, {4, -8, 4, 15, 16, -8}));
  const auto values = g.constant(fg::tensor<float>({6}, {1, -2, 0.5f, 3, 0.25f, 1}));
  const auto fields = g.constant(fg::tensor<std::int32_t>({6}, {0, 1, 2, 2, 1, 2}));
  const auto splits = g.constant(fg::tensor<std::int64_t>({4}, {0, 3, 3, 6}));
  const auto rows = table.lookup(keys);
  const auto made = table.field_interactions(keys, values, fields, splits, 3, 1);
  CHECK(made.sums.shape() == fg::shape{3, 2});
  const auto plain = fg::field_pair_interactions(rows, values, fields, splits, 3, 1);
  const auto factor = g.constant(fg::tensor<float>({2}, {1, 2}));
  std::vector<float> of_column(16, 2.f);
  of_column[0] = 1;
  const auto of_columns = g.constant(fg::tensor<float>({16}, of_column));
  const auto objective = fg::sum(made.sums * factor) + 3.f * fg::sum(made.squares * factor);
  const auto same = fg::sum(plain * factor) + 3.f * fg::sum(rows * rows * of_columns) / 2.f;
  const auto slices = fg::gradients(objective, table.anchor()).slices(), expected = fg::gradients(same, table.anchor()).slices();
  const auto slope_of_values = fg::gradients(objective, values).dense(), expected_of_values = fg::gradients(same, values).dense();
  fg::session s(g);
  auto [y, y_of_copy, drows, drows_of_copy, dvalues, dvalues_of_copy, named, found, wanted] = s.run(fg::fetch(
      made.sums, plain, slices.values, expected.values, slope_of_values, expected_of_values, slices.indices, objective, same));
  for (std::size_t i = 0; i < 6; ++i) CHECK(y[i] == y_of_copy[i]);
  for (std::size_t i = 0; i < 96; ++i) CHECK(drows[i] == doctest::Approx(drows_of_copy[i]));
  for (std::size_t i = 0; i < 6; ++i) CHECK(dvalues[i] == doctest::Approx(dvalues_of_copy[i]));
  CHECK(key_list(named.begin(), named.end()) == key_list{4, -8, 4, 15, 16, -8});
  CHECK(found.scalar() == doctest::Approx(wanted.scalar()));

  const auto code_of = [&](const fg::out<std::int32_t>& of, const fg::out<std::int64_t>& by) {
    return s.try_run(fg::fetch(table.field_interactions(keys, values, of, by, 3, 1).sums)).error().code();
  };
  CHECK(code_of(fields, g.constant(fg::tensor<std::int64_t>({3}, {0, 4, 3}))) == error_code::invalid_argument);
  CHECK(code_of(g.constant(fg::tensor<std::int32_t>({6}, {0, 1, 2, 3, 1, 2})), splits) == error_code::invalid_argument);
  CHECK(code_of(g.constant(fg::tensor<std::int32_t>({6}, {0, 1, 2, -1, 1, 2})), splits) == error_code::invalid_argument);
}

}  // namespace

TEST_CASE("a sparse table: interactions by field and their gradients are those of a copy of the rows") {
  check_field_table_interactions<float>(false);
  check_field_table_interactions<float>(true);
  check_field_table_interactions<fg::half>(false);
  check_field_table_interactions<fg::bfloat16>(true);
}

TEST_CASE("a sparse table: the gradient of interactions uses the rows of the update before it") {
  trained_table w({.seed = 2, .initial_scale = 1});
  const auto values = w.g.constant(fg::tensor<float>({2}, {1, 2}));
  const auto splits = w.g.constant(fg::tensor<std::int64_t>({2}, {0, 2}));
  const auto made = w.t.interactions(w.keys, values, splits);
  const auto slopes = fg::gradients(fg::sum(made.sums), w.t.anchor()).slices().values;
  fg::sparse_table_apply_adagrad_op op;
  op.initial_state = 0.1f;
  const auto update = fg::apply(op, w.t.handle(), w.number(0.5f), w.gradients, w.keys);
  const key_list keys{5, 6};
  for (int step = 0; step < 3; ++step) {
    const std::vector<float> rows = w.look(w.rows, keys), found = w.look(slopes, keys);
    for (std::size_t c = 0; c < 2; ++c) {
      CHECK(found[c] == doctest::Approx(2 * rows[2 + c]));
      CHECK(found[2 + c] == doctest::Approx(2 * rows[c]));
    }
    CHECK(w.update(update, keys, {1, 2, 3, 4}));
  }
}

namespace {

// Trains by interactions, and returns the rows of all keys. `num_fields`: 0, or the interactions are those by field.
// `owns_gradients`: in one op.
template <class T>
std::vector<float> trained_by_interactions(std::int64_t columns, std::int64_t num_fields, bool owns_gradients,
                                           bool without_locks) {
  fg::graph g;
  const fg::sparse_table<T> table(g, {.columns = columns, .seed = 5, .initial_scale = 1, .without_locks = without_locks});
  const auto keys = g.constant(fg::tensor<std::int64_t>({7}, {4, -8, 4, 15, 16, -8, 4}));
  const auto values = g.constant(fg::tensor<float>({7}, {1, -2, 0.5f, 3, 0.25f, 1, 0.75f}));
  const auto splits = g.constant(fg::tensor<std::int64_t>({4}, {0, 3, 3, 7}));
  const auto fields = g.constant(fg::tensor<std::int32_t>({7}, {0, 1, 0, 1, 1, 0, 1}));
  const auto made = num_fields > 0 ? table.field_interactions(keys, values, fields, splits, num_fields, 1)
                                   : table.interactions(keys, values, splits, 1);
  const auto slices = fg::gradients(fg::sum(made.sums * made.sums) + 0.3f * fg::sum(made.squares), table.anchor()).slices();
  const fg::out<float> rate[]{g.constant(0.1f)};
  const auto update = fg::detail::add_table_update({.rule = "Adagrad",
                                                    .scalars = rate,
                                                    .table = table.handle(),
                                                    .gradients = slices.values,
                                                    .keys = slices.indices,
                                                    .initial_state = 0.1f,
                                                    .owns_gradients = owns_gradients},
                                                   {});
  const std::string_view separate = "SparseTableApplyAdagrad", joint = num_fields > 0 ? "SparseTableFieldInteractionsApplyAdagrad"
                                                                                      : "SparseTableInteractionsApplyAdagrad";
  CHECK(update.source->op->name() == (owns_gradients ? joint : separate));
  fg::session s(g);
  for (int step = 0; step < 5; ++step) s.run(update);
  const auto rows = s.run(fg::fetch(table.peek(keys)));
  return {rows.begin(), rows.end()};
}

}  // namespace

TEST_CASE("a sparse table: an update by interactions in one op has the bits of separate ops") {
  for (const std::int64_t columns : {1, 3, 5, 9, 12, 17, 20, 65}) {
    CAPTURE(columns);
    for (const std::int64_t num_fields : {0, 2}) {
      if (num_fields > 0 && columns % 2 == 0) continue;
      const auto floats = trained_by_interactions<float>(columns, num_fields, false, false);
      CHECK(trained_by_interactions<float>(columns, num_fields, true, false) == floats);
      CHECK(trained_by_interactions<float>(columns, num_fields, true, true) == floats);
      const auto halves = trained_by_interactions<fg::half>(columns, num_fields, false, false);
      CHECK(trained_by_interactions<fg::half>(columns, num_fields, true, false) == halves);
      CHECK(trained_by_interactions<fg::half>(columns, num_fields, true, true) == halves);
    }
  }
}

TEST_CASE("a sparse table: an update by interactions refuses wrong inputs, and changes no row") {
  fg::graph g;
  const fg::sparse_table<float> table(g, {.columns = 2, .seed = 5, .initial_scale = 1});
  const auto keys = g.constant(fg::tensor<std::int64_t>({2}, {4, -8}));
  const auto values = g.constant(fg::tensor<float>({2}, {1, 2}));
  const auto splits = g.placeholder<std::int64_t>("splits", {fg::any});
  const auto dy = g.placeholder<float>("dy", {fg::any, fg::any}), rate = g.placeholder<float>("rate", fg::shape::unknown());
  fg::sparse_table_interactions_apply_adagrad_op op;
  op.initial_state = 0.1f;
  op.linear = 1;
  const fg::target update = fg::apply({}, op, table.handle(), rate, keys, values, splits, dy, dy);
  fg::session s(g);
  const auto code_of = [&](const key_list& split, const fg::tensor<float>& slopes, const fg::tensor<float>& by) {
    const auto done = s.try_run(update, {{splits, fg::tensor<std::int64_t>({split.size()}, split)}, {dy, slopes}, {rate, by}});
    return done ? error_code::ok : done.error().code();
  };
  const fg::tensor<float> one(1.f), slopes({1, 2}, {1, 2});
  CHECK(code_of({0, 1}, slopes, one) == error_code::invalid_argument);
  CHECK(code_of({0}, fg::tensor<float>({0, 2}), one) == error_code::invalid_argument);
  CHECK(code_of({0, 2}, fg::tensor<float>({2, 2}), one) == error_code::invalid_argument);
  CHECK(code_of({0, 2}, fg::tensor<float>({1, 3}), one) == error_code::invalid_argument);
  CHECK(code_of({0, 2}, slopes, fg::tensor<float>({2})) == error_code::invalid_argument);
  const auto before = s.run(fg::fetch(table.peek(keys)));
  const std::vector<float> old(before.begin(), before.end());
  CHECK(old[0] == fg::keyed_rows::initial_value(5, 4, 0, 1));
  CHECK(code_of({0, 2}, slopes, one) == error_code::ok);
  CHECK(s.run(fg::fetch(table.peek(keys)))[0] != old[0]);
}

TEST_CASE("a sparse table: an update by interactions by field refuses wrong inputs, and changes no row") {
  fg::graph g;
  const fg::sparse_table<float> table(g, {.columns = 5, .seed = 5, .initial_scale = 1});
  const auto keys = g.constant(fg::tensor<std::int64_t>({2}, {4, -8}));
  const auto values = g.constant(fg::tensor<float>({2}, {1, 2}));
  const auto splits = g.constant(fg::tensor<std::int64_t>({2}, {0, 2}));
  const auto fields = g.placeholder<std::int32_t>("fields", {fg::any});
  const auto dy = g.placeholder<float>("dy", {fg::any, fg::any});
  fg::session s(g);
  const auto code_of = [&](std::int64_t columns, const fg::tensor<std::int32_t>& of, const fg::tensor<float>& slopes) {
    fg::sparse_table_field_interactions_apply_adagrad_op op;
    op.initial_state = 0.1f;
    op.num_fields = 2;
    op.columns = columns;
    op.linear = 1;
    const fg::target update = fg::apply({}, op, table.handle(), g.constant(1.f), keys, values, fields, splits, dy, dy);
    const auto done = s.try_run(update, {{fields, of}, {dy, slopes}});
    return done ? error_code::ok : done.error().code();
  };
  const fg::tensor<float> slopes({1, 2}, {1, 2});
  const fg::tensor<std::int32_t> both({2}, {0, 1});
  CHECK(code_of(5, fg::tensor<std::int32_t>({2}, {0, 2}), slopes) == error_code::invalid_argument);
  CHECK(code_of(5, fg::tensor<std::int32_t>({1}), slopes) == error_code::invalid_argument);
  CHECK(code_of(5, both, fg::tensor<float>({1, 5})) == error_code::invalid_argument);
  CHECK(code_of(5, both, fg::tensor<float>({2, 2})) == error_code::invalid_argument);
  CHECK(code_of(7, both, slopes) == error_code::invalid_argument);
  const auto before = s.run(fg::fetch(table.peek(keys)));
  const std::vector<float> old(before.begin(), before.end());
  CHECK(old[0] == fg::keyed_rows::initial_value(5, 4, 0, 1));
  CHECK(code_of(5, both, slopes) == error_code::ok);
  CHECK(s.run(fg::fetch(table.peek(keys)))[0] != old[0]);
}

TEST_CASE("a sparse table: eviction, saving to several files, and restoring") {
  table_files files;
  trained_table w({.initial_scale = 0});
  const auto sgd = fg::apply(fg::sparse_table_apply_gradient_descent_op{}, w.t.handle(), w.number(1), w.gradients, w.keys);
  CHECK(w.update(sgd, {1, 2, 3}, {1, 1, 2, 2, 3, 3}));
  CHECK(w.update(sgd, {2, 3}, {1, 1, 1, 1}));
  CHECK(w.s.run(fg::fetch(w.t.evict_older_than(1))).scalar() == 1);
  CHECK(w.look(w.peeked, {1, 2, 3}) == std::vector<float>{0, 0, -3, -3, -4, -4});
  w.s.run(w.t.save(w.g.constant(files / "t"), 2));
  CHECK(w.s.run(fg::fetch(w.t.evict_to(1))).scalar() == 1);
  CHECK(w.look(w.peeked, {2, 3}) == std::vector<float>{-3, -3, 0, 0});
  const std::vector<std::string> names{files / "t-00000-of-00002", files / "t-00001-of-00002"};
  w.s.run(w.t.restore(w.g.constant(fg::tensor<std::string>({2}, names))));
  CHECK(w.look(w.peeked, {2, 3}) == std::vector<float>{-3, -3, -4, -4});
  CHECK(w.s.run(fg::fetch(w.size)).scalar() == 2);
  CHECK(w.s.try_run(w.t.restore(w.g.constant(files / "none"))).error().code() == error_code::not_found);
}

TEST_CASE("a sparse table: what cannot be is refused") {
  fg::graph g;
  const auto keys = g.constant(fg::tensor<std::int64_t>({1}, {1}));
  const auto code_of = [&](const fg::sparse_table_options& o) {
    fg::session s(g);
    return s.try_run(fg::fetch(fg::sparse_table<float>(g, o).lookup(keys))).error().code();
  };
  CHECK(code_of({.columns = 16, .expected_rows = 100'000'000, .memory_limit = 1'000'000'000}) == error_code::resource_exhausted);
  CHECK(code_of({.columns = 16, .memory_limit = 1000}) == error_code::resource_exhausted);
  CHECK(code_of({.columns = 16, .initial_scale = -1}) == error_code::invalid_argument);
  const fg::sparse_table<float> first(g, {.columns = 2, .shared_name = "same"});
  const fg::sparse_table<fg::half> second(g, {.columns = 2, .shared_name = "same"});
  const fg::sparse_table<float> wide(g, {.columns = 3});
  fg::session s(g);
  s.run(fg::fetch(first.lookup(keys)));
  CHECK(s.try_run(fg::fetch(second.lookup(keys))).error().code() == error_code::invalid_argument);
  const auto mixed = fg::apply(fg::sparse_table_lookup_op{}, first.handle(), wide.anchor(), keys);
  CHECK(s.try_run(fg::fetch(mixed)).error().code() == error_code::invalid_argument);
}

#ifndef FLOWGRAPH_NO_THREADS
TEST_CASE("a sparse table: a session of several threads gives the bits of one, and threads without locks end") {
  fg::thread_pool pool(4);
  trained_table one({.seed = 9, .initial_scale = 1}), many({.seed = 9, .initial_scale = 1}, {.pool = &pool});
  const auto train = [](trained_table& w) {
    fg::sparse_table_apply_adagrad_op op;
    op.initial_state = 0.1f;
    const auto update = fg::apply(op, w.t.handle(), w.number(0.1f), w.gradients, w.keys);
    std::mt19937 random(4);
    std::vector<float> last;
    for (int step = 0; step < 20; ++step) {
      key_list keys(6000);
      std::vector<float> slopes(12000);
      for (auto& k : keys) k = static_cast<std::int64_t>(random() % 3000);
      for (auto& x : slopes) x = static_cast<float>(random() % 1000) * 1e-3f;
      last = w.look(w.rows, keys);
      CHECK(w.update(update, keys, slopes));
    }
    return last;
  };
  CHECK(train(one) == train(many));

  trained_table free({.initial_scale = 0, .without_locks = true});
  const auto sgd =
      fg::apply(fg::sparse_table_apply_gradient_descent_op{}, free.t.handle(), free.number(1), free.gradients, free.keys);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) {
        const key_list keys{n, n + 1, 7, n};
        CHECK(free.look(free.rows, keys).size() == 8);
        CHECK(free.update(sgd, keys, std::vector<float>(8, 1.f)));
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(free.look(free.peeked, {7})[0] < 0);
}
#endif
