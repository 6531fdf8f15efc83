#include <flowgraph/ops/input/parse_example.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/formats/example.hpp>

namespace fg = flowgraph;
using fg::error_code;
using int64 = std::int64_t;

namespace {

template <class T> std::vector<T> list(const fg::any_tensor& t) {
  REQUIRE(t.type() == fg::dtype_of<T>);
  return {t.as<T>().begin(), t.as<T>().end()};
}

std::string example(std::vector<float> x, std::vector<int64> n, std::vector<std::string> w = {}) {
  fg::example_writer e;
  if (!x.empty()) e.add("x", std::span<const float>(x));
  if (!n.empty()) e.add("n", std::span<const int64>(n));
  if (!w.empty()) e.add("w", std::span<const std::string>(w));
  return e.bytes();
}

struct wishes {
  std::vector<std::string> dense = {}, sparse = {}, ragged = {};
  std::vector<fg::any_tensor> presets = {};
  fg::parse_example_v2_op op = {};
};

// All outputs, one list after the other.
fg::result<std::vector<fg::any_tensor>> parse(const fg::tensor<std::string>& examples, const wishes& w) {
  fg::graph g;
  const auto in = g.placeholder<std::string>("examples", fg::shape::unknown());
  const auto strings = [&](const std::vector<std::string>& s) { return g.constant(fg::tensor<std::string>({s.size()}, s)); };
  fg::any_out_list presets;
  for (const fg::any_tensor& t : w.presets) {
    if (t.type() == fg::dtype::float32) presets.push_back(g.constant(fg::tensor<float>::from(t).value()));
    else presets.push_back(g.constant(fg::tensor<int64>::from(t).value()));
  }
  const auto outputs =
      fg::apply(fg::site{}, w.op, in, strings({}), strings(w.sparse), strings(w.dense), strings(w.ragged), presets);
  std::vector<fg::any_out> fetches;
  const auto append = [&](const auto& handles) { fetches.insert(fetches.end(), handles.begin(), handles.end()); };
  std::apply([&](const auto&... handles) { (append(handles), ...); }, outputs);
  if (auto why = g.first_error()) return why;
  const fg::fed feeds[] = {{in, examples}};
  return fg::session{g}.try_run(fg::run_request{feeds, fetches});
}
error_code example_code_of(const auto& found) { return found ? error_code::ok : found.error().code(); }
fg::tensor<std::string> batch(const std::vector<std::string>& examples) { return {{examples.size()}, examples}; }

}  // namespace

TEST_CASE("dense features make a batch, with defaults where an example lacks them") {
  fg::graph g;
  const auto examples = g.placeholder<std::string>("examples", {fg::any});
  const auto [x, n] = fg::parse_example(examples, fg::dense_feature<float>{"x", {2}}, fg::dense_feature<int64>{"n", {}, -1});
  CHECK(x.shape() == fg::shape{fg::any, 2});
  CHECK(n.shape() == fg::shape{fg::any});
  fg::session s{g};
  const auto [xs, ns] = s.run(fg::fetch(x, n), {{examples, batch({example({1, 2}, {5}), example({3, 4}, {})})}});
  CHECK(list<float>(xs.erased()) == std::vector<float>{1, 2, 3, 4});
  CHECK(list<int64>(ns.erased()) == std::vector<int64>{5, -1});
  const auto refused = s.try_run(fg::fetch(x), {{examples, batch({example({1, 2}, {}), example({}, {1})})}});
  CHECK(example_code_of(refused) == error_code::invalid_argument);
  CHECK(std::string(refused.error().what()).find("example 1: the feature 'x'") != std::string::npos);
}

TEST_CASE("sparse features have indices, values and a shape") {
  wishes w;
  w.sparse = {"n", "w"};
  w.op.sparse_types = {fg::dtype::int64, fg::dtype::string};
  const auto found = parse(batch({example({}, {1, 2}), example({}, {}, {"a"}), example({}, {3})}), w).value();
  REQUIRE(found.size() == 6);
  CHECK(list<int64>(found[0]) == std::vector<int64>{0, 0, 0, 1, 2, 0});
  CHECK(list<int64>(found[1]) == std::vector<int64>{1, 0});
  CHECK(list<int64>(found[2]) == std::vector<int64>{1, 2, 3});
  CHECK(list<std::string>(found[3]) == std::vector<std::string>{"a"});
  CHECK(list<int64>(found[4]) == std::vector<int64>{3, 2});
  CHECK(list<int64>(found[5]) == std::vector<int64>{3, 1});
  const auto one = parse(fg::tensor<std::string>(example({}, {1, 2})), w).value();
  CHECK(one[0].shape() == fg::shape{2, 1});
  CHECK(list<int64>(one[4]) == std::vector<int64>{2});
}

TEST_CASE("ragged features have values and splits") {
  wishes w;
  w.ragged = {"n"};
  w.op.ragged_value_types = {fg::dtype::int64};
  w.op.ragged_split_types = {fg::dtype::int32};
  const auto found = parse(batch({example({}, {1, 2}), example({}, {}), example({}, {3})}), w).value();
  CHECK(list<int64>(found[0]) == std::vector<int64>{1, 2, 3});
  CHECK(list<std::int32_t>(found[1]) == std::vector<std::int32_t>{0, 2, 2, 3});
  CHECK(list<std::int32_t>(parse(batch({}), w).value()[1]) == std::vector<std::int32_t>{0});
  CHECK(parse(fg::tensor<std::string>(example({}, {1})), w).value()[1].shape() == fg::shape{0});  // as in TensorFlow
}

TEST_CASE("a dense feature of any number of rows is padded") {
  wishes w;
  w.dense = {"n"};
  w.op.dense_types = {fg::dtype::int64};
  w.op.dense_shapes = {{fg::any, 2}};
  w.presets = {fg::tensor<int64>({1}, {9}).erased()};
  const auto found = parse(batch({example({}, {1, 2}), example({}, {}), example({}, {3, 4, 5, 6})}), w).value();
  CHECK(found[0].shape() == fg::shape{3, 2, 2});
  CHECK(list<int64>(found[0]) == std::vector<int64>{1, 2, 9, 9, 9, 9, 9, 9, 3, 4, 5, 6});
  CHECK(parse(fg::tensor<std::string>(example({}, {})), w).value()[0].shape() == fg::shape{0, 2});
  CHECK(example_code_of(parse(batch({example({}, {1, 2, 3})}), w)) == error_code::invalid_argument);
  w.presets = {fg::tensor<int64>({2}, {9, 8}).erased()};
  CHECK(example_code_of(parse(batch({example({}, {1, 2})}), w)) == error_code::invalid_argument);
}

TEST_CASE("what does not fit is refused") {
  wishes w;
  w.sparse = {"n"};
  w.op.sparse_types = {fg::dtype::float32};
  CHECK(example_code_of(parse(batch({example({}, {1})}), w)) == error_code::invalid_argument);  // of another type
  w.op.sparse_types = {fg::dtype::int64};
  CHECK(example_code_of(parse(batch({"bad"}), w)) == error_code::invalid_argument);
  CHECK(example_code_of(parse(fg::tensor<std::string>({1, 1}, {example({}, {1})}), w)) == error_code::invalid_argument);
  w.sparse = {"n", "n"};
  w.op.sparse_types = {fg::dtype::int64, fg::dtype::int64};
  CHECK(example_code_of(parse(batch({example({}, {1})}), w)) == error_code::invalid_argument);
  const std::string whole = example({1, 2}, {3}, {"a"});
  w = {};
  w.dense = {"x"};
  w.op.dense_types = {fg::dtype::float32};
  w.op.dense_shapes = {{2}};
  w.presets = {fg::tensor<float>({0}).erased()};
  CHECK(example_code_of(parse(batch({whole}), w)) == error_code::ok);
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(example_code_of(parse(batch({whole.substr(0, size)}), w)) == error_code::invalid_argument);
}

TEST_CASE("many examples on several threads are those of one") {
  std::vector<std::string> examples;
  for (int i = 0; i < 1000; ++i) examples.push_back(example({static_cast<float>(i), static_cast<float>(-i)}, {i, i}));
  fg::graph g;
  const auto in = g.constant(batch(examples));
  const auto x = fg::parse_example(in, fg::dense_feature<float>{"x", {2}});
  fg::thread_pool pool(3);
  fg::session one{g}, several{g, {.pool = &pool}};
  const auto expected = one.run(fg::fetch(x)), found = several.run(fg::fetch(x));
  CHECK(list<float>(found.erased()) == list<float>(expected.erased()));
  CHECK(found(999, 1) == -999);
}
