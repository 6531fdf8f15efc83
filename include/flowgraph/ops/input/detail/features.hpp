#pragma once
// What the parsing ops share: which features of examples are wanted, where they were found, and the tensors made of them.

#include <flowgraph/formats/example.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/shape_rule.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace detail {

// A feature of which each example, or each step of time, has so many values.
struct wanted_dense {
  std::string_view key;
  dtype type = dtype::invalid;
  shape extents;                       // without the extent that differs by example
  bool is_variable = false;            // the first extent does
  const any_tensor* preset = nullptr;  // empty: examples must have the feature. Null: of a step, which must
};
// A feature of which each example has as many values as it has. `splits` is that of a ragged one: int32 or int64.
struct wanted_list {
  std::string_view key;
  dtype type = dtype::invalid;
  dtype splits = dtype::invalid;
};
struct wanted_features {
  std::vector<wanted_dense> dense;
  std::vector<wanted_list> sparse, ragged;

  std::size_t size() const { return dense.size() + sparse.size() + ragged.size(); }
  std::string_view key(std::size_t slot) const;
  dtype type(std::size_t slot) const;
};

// The examples that a call parses, and how errors name them.
struct example_batch {
  view<const std::string> bytes, names;
  bool is_batch = true;  // else one example, whose outputs lack that axis

  std::size_t size() const { return bytes.size(); }
  error refuse(std::size_t example, const message& why) const;
};

// Sets `wanted.dense` from keys, types, shapes and defaults, of which there must be as many as types. `may_vary`: the first extent.
error want_dense(wanted_features& wanted, std::span<const std::string_view> keys, std::span<const dtype> types,
                 std::span<const shape> shapes, any_list presets, bool may_vary);
error want_lists(std::vector<wanted_list>& to, std::span<const std::string_view> keys, std::span<const dtype> types,
                 std::string_view what);
error want_ragged(std::vector<wanted_list>& to, std::span<const std::string_view> keys, std::span<const dtype> types,
                  std::span<const dtype> splits);
// Of strings and of list inputs.
std::vector<std::string_view> keys_of(view<const std::string> keys);
std::vector<std::string_view> keys_of(const std::vector<std::string>& keys);
std::vector<std::string_view> keys_of(view_list<const std::string> keys);

// serialized and names as the ops want them.
error check_batch(const example_batch& examples, bool may_be_one);

// Where the features stand: `found[example * wanted.size() + slot]`, of type invalid where an example has none.
error find_features(cpu ctx, const example_batch& examples, const wanted_features& wanted, std::vector<feature_view>& found);

// Values of rows, one after the other, and how many each row has.
struct gathered_values {
  any_tensor values;
  std::vector<std::int64_t> counts;
  std::int64_t most() const;
};
// Of every `step`-th of `rows`, from the first on. Refuses by `refuse(row)`.
result<gathered_values> gather_values(cpu ctx, dtype type, std::span<const feature_view> rows, std::size_t step,
                                      function_ref<error(std::size_t row)> refuse);
// 0 and the sums of the counts, as int32 or int64.
result<any_tensor> sums_of(cpu ctx, std::span<const std::int64_t> counts, dtype type);
result<any_tensor> vector_of(cpu ctx, std::initializer_list<std::int64_t> values);

// Copies the values of a feature to elements [at, at + size) of `to`; false where it has another number of them.
bool copy_values(const feature_view& feature, any_tensor& to, std::int64_t at, std::int64_t size);
void fill_with_zeros(any_tensor& t);

// Sets the outputs of features that were found, from output `first` on: indices, values and shapes of the sparse ones, the dense ones,
// values and splits of the ragged ones. Gives the output behind them.
std::size_t set_features(cpu ctx, const example_batch& examples, const wanted_features& wanted,
                         std::span<const feature_view> found, std::size_t first, bool splits_of_one_are_a_count);

// The shapes of those outputs, for shape rules: `rank` of serialized, or -1.
void append_shapes(shape_list& to, const shape& serialized, std::size_t sparse, std::span<const shape> dense, std::size_t ragged);
// The batch's extent before others; unknown where it is not known whether there is one.
shape with_batch(const shape& serialized, const shape& extents);

// Types and sizes of such outputs, one list after the other.
template <class... List> std::vector<dtype> types_of_lists(const List&... lists) {
  std::vector<dtype> made;
  (made.insert(made.end(), lists.begin(), lists.end()), ...);
  return made;
}
template <class... Size> std::vector<std::uint32_t> sizes_of_lists(Size... sizes) {
  return {static_cast<std::uint32_t>(sizes)...};
}

}
}
}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/features.hpp>
#endif
