#include <flowgraph/ops/input/parse_sequence.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/formats/example.hpp>

namespace fg = flowgraph;
using fg::error_code;
using int64 = std::int64_t;

namespace {

template <class T> std::vector<T> sequence_list(const fg::any_tensor& t) {
  REQUIRE(t.type() == fg::dtype_of<T>);
  return {t.as<T>().begin(), t.as<T>().end()};
}

// A SequenceExample with the context feature "c", where there is a value, and the feature list "f".
std::string sequence(std::vector<int64> context, const std::vector<std::vector<int64>>& steps, bool has_list = true) {
  std::string made, list, entry, lists;
  if (!context.empty()) {
    fg::example_writer e;
    e.add("c", std::span<const int64>(context));
    made = e.bytes();
  }
  for (const std::vector<int64>& step : steps) {
    std::string packed, values, feature;
    for (const int64 v : step) fg::detail::put_varint(packed, static_cast<std::uint64_t>(v));
    fg::detail::put_bytes_field(values, 1, packed);
    fg::detail::put_bytes_field(feature, 3, values);
    fg::detail::put_bytes_field(list, 1, feature);
  }
  fg::detail::put_bytes_field(entry, 1, "f");
  fg::detail::put_bytes_field(entry, 2, list);
  fg::detail::put_bytes_field(lists, 1, entry);
  if (has_list) fg::detail::put_bytes_field(made, 2, lists);
  return made;
}

enum class list_form { sparse, dense, ragged };

// The outputs for "c" and "f" in one of these forms.
fg::result<std::vector<fg::any_tensor>> parse(const fg::tensor<std::string>& examples, list_form of, bool may_lack = false) {
  fg::graph g;
  const auto in = g.placeholder<std::string>("examples", fg::shape::unknown());
  const auto keys = [&](bool is_wanted, const char* key) {
    return is_wanted ? g.constant(fg::tensor<std::string>({1}, {key})) : g.constant(fg::tensor<std::string>({0}));
  };
  fg::parse_sequence_example_v2_op op;
  fg::any_out_list presets;
  const std::vector<fg::dtype> type{fg::dtype::int64};
  if (of == list_form::sparse) op.context_sparse_types = op.feature_list_sparse_types = type;
  if (of == list_form::ragged)
    op.context_ragged_value_types = op.context_ragged_split_types = op.feature_list_ragged_value_types =
        op.feature_list_ragged_split_types = type;
  if (of == list_form::dense) {
    op.context_dense_types = op.feature_list_dense_types = type;
    op.context_dense_shapes = {{1}};
    op.feature_list_dense_shapes = {{2}};
    presets.push_back(g.constant(fg::tensor<int64>({1}, {7})));
  }
  const bool s = of == list_form::sparse, d = of == list_form::dense, r = of == list_form::ragged;
  const auto missing = d ? g.constant(fg::tensor<bool>({1}, {may_lack})) : g.constant(fg::tensor<bool>({0}));
  const auto outputs = fg::apply(fg::site{}, op, in, keys(false, ""), keys(s, "c"), keys(d, "c"), keys(r, "c"), keys(s, "f"),
                                 keys(d, "f"), keys(r, "f"), missing, presets);
  std::vector<fg::any_out> fetches;
  const auto append = [&](const auto& handles) { fetches.insert(fetches.end(), handles.begin(), handles.end()); };
  std::apply([&](const auto&... handles) { (append(handles), ...); }, outputs);
  if (auto why = g.first_error()) return why;
  const fg::fed feeds[] = {{in, examples}};
  return fg::session{g}.try_run(fg::run_request{feeds, fetches});
}
error_code sequence_code_of(const auto& found) { return found ? error_code::ok : found.error().code(); }
fg::tensor<std::string> sequence_batch(const std::vector<std::string>& examples) { return {{examples.size()}, examples}; }

const std::string first_sequence = sequence({5}, {{1, 2}, {3, 4}}), second_sequence = sequence({}, {{9, 8}});

}  // namespace

TEST_CASE("dense feature lists are filled with zeros behind their ends") {
  const auto found = parse(sequence_batch({first_sequence, second_sequence}), list_form::dense).value();
  REQUIRE(found.size() == 3);
  CHECK(sequence_list<int64>(found[0]) == std::vector<int64>{5, 7});
  CHECK(found[1].shape() == fg::shape{2, 2, 2});
  CHECK(sequence_list<int64>(found[1]) == std::vector<int64>{1, 2, 3, 4, 9, 8, 0, 0});
  CHECK(sequence_list<int64>(found[2]) == std::vector<int64>{2, 1});
  const auto one = parse(fg::tensor<std::string>(first_sequence), list_form::dense).value();
  CHECK(one[1].shape() == fg::shape{2, 2});
  CHECK(one[2].shape() == fg::shape{});
}

TEST_CASE("sparse feature lists have example, step and place of each value") {
  const auto found = parse(sequence_batch({sequence({5}, {{1}, {}, {2, 3}}), second_sequence}), list_form::sparse).value();
  REQUIRE(found.size() == 6);
  CHECK(sequence_list<int64>(found[0]) == std::vector<int64>{0, 0});
  CHECK(sequence_list<int64>(found[3]) == std::vector<int64>{0, 0, 0, 0, 2, 0, 0, 2, 1, 1, 0, 0, 1, 0, 1});
  CHECK(sequence_list<int64>(found[4]) == std::vector<int64>{1, 2, 3, 9, 8});
  CHECK(sequence_list<int64>(found[5]) == std::vector<int64>{2, 3, 2});
  CHECK(sequence_list<int64>(parse(fg::tensor<std::string>(first_sequence), list_form::sparse).value()[5]) ==
        std::vector<int64>{2, 2});
}

TEST_CASE("ragged feature lists have splits of examples and of steps") {
  const auto found =
      parse(sequence_batch({sequence({5}, {{1}, {}, {2, 3}}), sequence({}, {}, false)}), list_form::ragged).value();
  REQUIRE(found.size() == 5);
  CHECK(sequence_list<int64>(found[1]) == std::vector<int64>{0, 1, 1});
  CHECK(sequence_list<int64>(found[2]) == std::vector<int64>{1, 2, 3});
  CHECK(sequence_list<int64>(found[3]) == std::vector<int64>{0, 3, 3});
  CHECK(sequence_list<int64>(found[4]) == std::vector<int64>{0, 1, 1, 3});
}

TEST_CASE("a feature list that is missing, of another type or cut is refused") {
  const std::string none = sequence({1}, {}, false);
  CHECK(sequence_code_of(parse(sequence_batch({none}), list_form::dense)) == error_code::invalid_argument);
  CHECK(parse(sequence_batch({none}), list_form::dense, true).value()[1].shape() == fg::shape{1, 0, 2});
  CHECK(sequence_code_of(parse(sequence_batch({sequence({1}, {{1, 2, 3}})}), list_form::dense)) == error_code::invalid_argument);
  for (std::size_t size = 0; size < first_sequence.size(); ++size) {
    const error_code code = sequence_code_of(parse(sequence_batch({first_sequence.substr(0, size)}), list_form::dense));
    CHECK(code == error_code::invalid_argument);
  }
}
