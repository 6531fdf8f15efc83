#pragma once
// The common part of the parsing ops: the requested features of examples, their places, and the tensors made of them.

#include <flowgraph/formats/example.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/shape_rule.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A feature with the same number of values in each example, or in each step of time.
struct wanted_dense {
  std::string_view key;
  dtype type = dtype::invalid;
  shape extents;                       // without an extent that varies by example
  bool is_variable = false;            // the first extent varies
  const any_tensor* preset = nullptr;  // empty: the feature is required. Null: a feature of steps, also required
};
// A feature with any number of values in each example. `splits` is the type of a ragged feature's splits: int32 or int64.
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

// The examples that a call parses, and their names in errors.
struct example_batch {
  view<const std::string> bytes, names;
  bool is_batch = true;  // otherwise one example, whose outputs lack that axis

  std::size_t size() const { return bytes.size(); }
  error refuse(std::size_t example, const message& why) const;
};

// Sets `wanted.dense` from keys, types, shapes and defaults, in equal numbers. `may_vary`: whether the first extent may vary.
error want_dense(wanted_features& wanted, std::span<const std::string_view> keys, std::span<const dtype> types,
                 std::span<const shape> shapes, any_list presets, bool may_vary);
error want_lists(std::vector<wanted_list>& to, std::span<const std::string_view> keys, std::span<const dtype> types,
                 std::string_view what);
error want_ragged(std::vector<wanted_list>& to, std::span<const std::string_view> keys, std::span<const dtype> types,
                  std::span<const dtype> splits);
// Returns the keys of strings or of list inputs.
std::vector<std::string_view> keys_of(view<const std::string> keys);
std::vector<std::string_view> keys_of(const std::vector<std::string>& keys);
std::vector<std::string_view> keys_of(view_list<const std::string> keys);

// Checks that the shapes of `serialized` and `names` are allowed.
error check_batch(const example_batch& examples, bool may_be_one);

// Finds the features: `found[example * wanted.size() + slot]`, of type invalid if an example has none.
error find_features(cpu ctx, const example_batch& examples, const wanted_features& wanted, std::vector<feature_view>& found);

// Values of rows, one after another, and the number of values in each row.
struct gathered_values {
  any_tensor values;
  std::vector<std::int64_t> counts;
  std::int64_t most() const;
};
// Gathers the values of every `step`-th of `rows`, from the first on. `refuse(row)` makes an error.
result<gathered_values> gather_values(cpu ctx, dtype type, std::span<const feature_view> rows, std::size_t step,
                                      function_ref<error(std::size_t row)> refuse);
// Returns 0 and the sums of the counts, as int32 or int64.
result<any_tensor> sums_of(cpu ctx, std::span<const std::int64_t> counts, dtype type);
result<any_tensor> vector_of(cpu ctx, std::initializer_list<std::int64_t> values);

// Copies the values of a feature to elements [at, at + size) of `to`. Returns false if it has another number of values.
bool copy_values(const feature_view& feature, any_tensor& to, std::int64_t at, std::int64_t size);
void fill_with_zeros(any_tensor& t);

// Sets the outputs of the found features, from output `first` on: indices, values and shapes of the sparse features, the dense
// ones, values and splits of the ragged ones. Returns the number of the next output.
std::size_t set_features(cpu ctx, const example_batch& examples, const wanted_features& wanted,
                         std::span<const feature_view> found, std::size_t first, bool splits_of_one_are_a_count);

// Adds the shapes of those outputs, for shape rules. `serialized` may have an unknown rank.
void append_shapes(shape_list& to, const shape& serialized, std::size_t sparse, std::span<const shape> dense, std::size_t ragged);
// Returns `extents` after the batch's extent; a shape of unknown rank if it is not known whether there is a batch.
shape with_batch(const shape& serialized, const shape& extents);

// Returns the types or the sizes of such outputs, one list after another.
template <class... List> std::vector<dtype> types_of_lists(const List&... lists) {
  std::vector<dtype> result;
  (result.insert(result.end(), lists.begin(), lists.end()), ...);
  return result;
}
template <class... Size> std::vector<std::uint32_t> sizes_of_lists(Size... sizes) {
  return {static_cast<std::uint32_t>(sizes)...};
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/features.hpp>
#endif
