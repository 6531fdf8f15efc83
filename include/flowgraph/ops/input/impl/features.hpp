#pragma once

#include <flowgraph/ops/input/detail/features.hpp>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE std::string_view wanted_features::key(std::size_t slot) const {
  if (slot < dense.size()) return dense[slot].key;
  slot -= dense.size();
  return slot < sparse.size() ? sparse[slot].key : ragged[slot - sparse.size()].key;
}
FLOWGRAPH_INLINE dtype wanted_features::type(std::size_t slot) const {
  if (slot < dense.size()) return dense[slot].type;
  slot -= dense.size();
  return slot < sparse.size() ? sparse[slot].type : ragged[slot - sparse.size()].type;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error example_batch::refuse(std::size_t example, const message& why) const {
  const std::string named = example < names.size() ? message{" ('", names[example], "')"}.string() : std::string();
  return invalid_argument({"example ", example, named, ": ", why.string()});
}

// ---- requested features

FLOWGRAPH_INLINE std::vector<std::string_view> keys_of(view<const std::string> keys) { return {keys.begin(), keys.end()}; }
FLOWGRAPH_INLINE std::vector<std::string_view> keys_of(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}
FLOWGRAPH_INLINE std::vector<std::string_view> keys_of(view_list<const std::string> keys) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < keys.size(); ++i) names.push_back(keys[i].size() == 1 ? std::string_view(keys[i].scalar()) : "");
  return names;
}

FLOWGRAPH_COLD inline error refused(const message& why) { return error(error_code::invalid_argument, why); }
inline bool is_feature_type(dtype t) { return t == dtype::float32 || t == dtype::int64 || t == dtype::string; }

inline error check_preset(const wanted_dense& f) {
  const any_tensor& preset = *f.preset;
  if (preset.type() != f.type)
    return refused({"the default of '", f.key, "' must be of type ", name_of(f.type), ", found ", name_of(preset.type())});
  if (f.is_variable ? preset.size() != 1 : preset.size() > 0 && !fits(preset.shape(), f.extents))
    return refused({"the default of '", f.key, "' must ",
                    f.is_variable ? "be one value, found " : "have the feature's shape or no value, found ", preset.shape()});
  return {};
}

FLOWGRAPH_INLINE error want_dense(wanted_features& wanted, std::span<const std::string_view> keys, std::span<const dtype> types,
                                  std::span<const shape> shapes, any_list presets, bool may_vary) {
  if (keys.size() != types.size() || shapes.size() != types.size() || presets.size() != types.size())
    return refused({"dense features need as many keys, shapes and defaults as types, ", types.size(), "; found ", keys.size(),
                    ", ", shapes.size(), " and ", presets.size()});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const shape& s = shapes[i];
    wanted_dense f{keys[i], types[i], s, may_vary && s.rank > 0 && s[0] < 0, &presets[i]};
    if (f.is_variable) f.extents = shape::of(s.dims + 1, s.rank - 1);
    if (!is_feature_type(f.type) || !f.extents.is_known())
      return refused({"the dense feature '", f.key, "' must have a known shape and type float, int64 or string; found ",
                      name_of(f.type), s});
    if (error why = check_preset(f)) return why;
    wanted.dense.push_back(f);
  }
  return {};
}
FLOWGRAPH_INLINE error want_lists(std::vector<wanted_list>& to, std::span<const std::string_view> keys,
                                  std::span<const dtype> types, std::string_view what) {
  if (keys.size() != types.size())
    return refused({what, " features need as many keys as types, ", types.size(), "; found ", keys.size()});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!is_feature_type(types[i]))
      return refused({"the feature '", keys[i], "' must be of type float, int64 or string, found ", name_of(types[i])});
    to.push_back({keys[i], types[i]});
  }
  return {};
}
FLOWGRAPH_INLINE error want_ragged(std::vector<wanted_list>& to, std::span<const std::string_view> keys,
                                   std::span<const dtype> types, std::span<const dtype> splits) {
  if (splits.size() != types.size())
    return refused({"ragged features need as many types of splits as of values, ", types.size(), "; found ", splits.size()});
  if (error why = want_lists(to, keys, types, "ragged")) return why;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (splits[i] != dtype::int32 && splits[i] != dtype::int64)
      return refused({"the splits of '", keys[i], "' must be int32 or int64, found ", name_of(splits[i])});
    to[i].splits = splits[i];
  }
  return {};
}

FLOWGRAPH_INLINE error check_batch(const example_batch& examples, bool may_be_one) {
  const shape& s = examples.bytes.shape();
  if (s.rank != 1 && !(may_be_one && s.rank == 0))
    return refused({"serialized must be ", may_be_one ? "a scalar or a vector" : "a vector", ", found ", s});
  if (examples.names.size() != 0 && !fits(examples.names.shape(), s))
    return refused({"there must be a name for each example, or none; found ", examples.names.shape(), " for ", s});
  return {};
}

// ---- search

FLOWGRAPH_INLINE error find_features(cpu ctx, const example_batch& examples, const wanted_features& wanted,
                                     std::vector<feature_view>& found) {
  const std::size_t slots = wanted.size();
  std::unordered_map<std::string_view, std::size_t> slot_of;
  for (std::size_t i = 0; i < slots; ++i)
    if (!slot_of.emplace(wanted.key(i), i).second) return refused({"the feature '", wanted.key(i), "' is wanted twice"});
  found.assign(examples.size() * slots, {});
  const auto find_in = [&](std::size_t example) -> error {
    feature_view* row = found.data() + example * slots;
    const bool is_example = for_each_feature(examples.bytes[example], [&](std::string_view key, const feature_view& feature) {
      if (const auto at = slot_of.find(key); at != slot_of.end()) row[at->second] = feature;
    });
    if (!is_example) return examples.refuse(example, {"the bytes are cut, or not an example"});
    for (std::size_t i = 0; i < slots; ++i) {
      if (row[i].is_broken) return examples.refuse(example, {"the feature '", wanted.key(i), "' is of an unknown kind"});
      if (row[i].type != dtype::invalid && row[i].type != wanted.type(i))
        return examples.refuse(example, {"the feature '", wanted.key(i), "' must be of type ", name_of(wanted.type(i)),
                                         ", found ", name_of(row[i].type)});
    }
    return {};
  };
  constexpr std::size_t grain = 32;
  std::vector<error> refusals((examples.size() + grain - 1) / grain);
  ctx.parallel_for(static_cast<std::int64_t>(refusals.size()), [&](std::int64_t block) {
    const auto first = static_cast<std::size_t>(block) * grain;
    error& why = refusals[static_cast<std::size_t>(block)];
    for (std::size_t i = first; i < std::min(first + grain, examples.size()) && !why; ++i) why = find_in(i);
  });
  const auto first = std::find_if(refusals.begin(), refusals.end(), [](const error& e) { return static_cast<bool>(e); });
  return first == refusals.end() ? error() : *first;
}

// ---- the tensors

// Returns the number of copied values. Values after `size` are counted, not copied. Returns -1 if the list is malformed.
template <class T, class Stored> std::int64_t copy_list(const feature_view& feature, Stored* to, std::int64_t size) {
  std::int64_t n = 0;
  const bool is_whole = for_each_value<T>(feature, [&](const T& value) {
    if (n < size) to[n] = Stored(value);
    ++n;
  });
  return is_whole ? n : -1;
}
FLOWGRAPH_INLINE bool copy_values(const feature_view& feature, any_tensor& to, std::int64_t at, std::int64_t size) {
  if (feature.type == dtype::invalid) return size == 0;
  switch (to.type()) {
    case dtype::float32: return copy_list<float>(feature, to.as_writable<float>().data() + at, size) == size;
    case dtype::int64: return copy_list<std::int64_t>(feature, to.as_writable<std::int64_t>().data() + at, size) == size;
    default: return copy_list<std::string_view>(feature, to.as_writable<std::string>().data() + at, size) == size;
  }
}

FLOWGRAPH_INLINE void fill_with_zeros(any_tensor& t) {
  if (is_plain(t.type()) && t.size() > 0) std::memset(t.data(), 0, t.bytes());
}

FLOWGRAPH_INLINE std::int64_t gathered_values::most() const {
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}
FLOWGRAPH_INLINE result<gathered_values> gather_values(cpu ctx, dtype type, std::span<const feature_view> rows, std::size_t step,
                                                       function_ref<error(std::size_t row)> refuse) {
  gathered_values result;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    const std::int64_t count = count_values(rows[i]);
    if (count < 0) return refuse(i / step);
    result.counts.push_back(count);
    size += count;
  }
  auto values = any_tensor::allocate(type, {size}, ctx.memory());
  if (!values) return values.error();
  result.values = *std::move(values);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < result.counts.size(); at += result.counts[i++])
    copy_values(rows[i * step], result.values, at, result.counts[i]);
  return result;
}

FLOWGRAPH_INLINE result<any_tensor> sums_of(cpu ctx, std::span<const std::int64_t> counts, dtype type) {
  auto result = any_tensor::allocate(type, {static_cast<std::int64_t>(counts.size()) + 1}, ctx.memory());
  if (!result) return result;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i <= counts.size(); ++i) {
    if (type == dtype::int32) result->as_writable<std::int32_t>()[i] = static_cast<std::int32_t>(sum);
    else result->as_writable<std::int64_t>()[i] = sum;
    if (i < counts.size()) sum += counts[i];
  }
  return result;
}
FLOWGRAPH_INLINE result<any_tensor> vector_of(cpu ctx, std::initializer_list<std::int64_t> values) {
  auto result = any_tensor::allocate(dtype::int64, {values.size()}, ctx.memory());
  if (result) std::copy(values.begin(), values.end(), result->as_writable<std::int64_t>().begin());
  return result;
}

// Returns the indices of a sparse feature: the example and the place of each value, or the place alone.
inline result<any_tensor> indices_of(cpu ctx, std::span<const std::int64_t> counts, bool is_batch) {
  std::int64_t size = 0;
  for (const std::int64_t c : counts) size += c;
  auto result = any_tensor::allocate(dtype::int64, {size, is_batch ? 2 : 1}, ctx.memory());
  if (!result) return result;
  std::int64_t* to = result->as_writable<std::int64_t>().data();
  for (std::size_t row = 0; row < counts.size(); ++row)
    for (std::int64_t i = 0; i < counts[row]; ++i) {
      if (is_batch) *to++ = static_cast<std::int64_t>(row);
      *to++ = i;
    }
  return result;
}

// Copies one value to all of [at, at + size), or all values of the preset.
inline void copy_preset(const any_tensor& preset, any_tensor& to, std::int64_t at, std::int64_t size) {
  const auto copy = [&]<class T>(view<const T> from) {
    T* begin = to.as_writable<T>().data() + at;
    if (from.size() == 1) std::fill_n(begin, size, from[0]);
    else std::copy_n(from.data(), size, begin);
  };
  switch (to.type()) {
    case dtype::float32: return copy(preset.as<float>());
    case dtype::int64: return copy(preset.as<std::int64_t>());
    default: return copy(preset.as<std::string>());
  }
}

class feature_outputs {
public:
  feature_outputs(cpu ctx, const example_batch& examples, const wanted_features& wanted, std::span<const feature_view> found)
      : ctx_(ctx), examples_(examples), wanted_(wanted), found_(found) {}

  void set(std::size_t output, result<any_tensor> result) {
    if (result) ctx_.set_output(output, *std::move(result));
    else ctx_.fail(result.error());
  }
  result<gathered_values> gather(std::size_t slot) {
    return gather_values(ctx_, wanted_.type(slot), rows(slot), wanted_.size(), [&](std::size_t example) {
      return examples_.refuse(example, {"the list of the feature '", wanted_.key(slot), "' is cut, or not a list"});
    });
  }
  result<any_tensor> dense(std::size_t slot) {
    const wanted_dense& f = wanted_.dense[slot];
    const std::int64_t stride = f.extents.size();
    std::vector<std::int64_t> counts;
    std::int64_t most = 1;
    if (f.is_variable) {
      most = 0;
      for (std::size_t i = 0; i < examples_.size(); ++i) {
        counts.push_back(count_values(row(slot, i)));
        if (counts[i] < 0 || (stride == 0 ? counts[i] != 0 : counts[i] % stride != 0))
          return examples_.refuse(i,
                                  {"the feature '", f.key, "' must have a multiple of ", stride, " values, found ", counts[i]});
        most = std::max(most, stride == 0 ? 0 : counts[i] / stride);
      }
    }
    shape whole;
    if (examples_.is_batch) whole.push_back(static_cast<std::int64_t>(examples_.size()));
    if (f.is_variable) whole.push_back(most);
    for (const std::int64_t extent : f.extents) whole.push_back(extent);
    auto result = any_tensor::allocate(f.type, whole, ctx_.memory());
    if (!result) return result;
    if (error why = fill(f, slot, counts, most * stride, *result)) return why;
    return result;
  }

private:
  std::span<const feature_view> rows(std::size_t slot) const {
    return found_.empty() ? std::span<const feature_view>() : found_.subspan(slot);
  }
  const feature_view& row(std::size_t slot, std::size_t example) const { return found_[example * wanted_.size() + slot]; }

  // Fills rows of `size` values. The example has `counts` of them, or all if `counts` is empty; the preset gives the rest.
  error fill(const wanted_dense& f, std::size_t slot, std::span<const std::int64_t> counts, std::int64_t size, any_tensor& to) {
    const auto fill_row = [&](std::size_t i) -> error {
      const std::int64_t at = static_cast<std::int64_t>(i) * size;
      const bool is_there = row(slot, i).type != dtype::invalid;
      const std::int64_t count = counts.empty() ? (is_there ? size : 0) : counts[i];
      if (is_there && !copy_values(row(slot, i), to, at, count))
        return examples_.refuse(i,
                                {"the feature '", f.key, "' must have ", count, " values, found ", count_values(row(slot, i))});
      if (count == size) return {};
      if (f.preset->size() == 0) return examples_.refuse(i, {"the feature '", f.key, "' must be there: it has no default"});
      copy_preset(*f.preset, to, at + count, size - count);
      return {};
    };
    constexpr std::size_t grain = 16;
    std::vector<error> refusals((examples_.size() + grain - 1) / grain);
    ctx_.parallel_for(static_cast<std::int64_t>(refusals.size()), [&](std::int64_t block) {
      const auto first = static_cast<std::size_t>(block) * grain;
      error& why = refusals[static_cast<std::size_t>(block)];
      for (std::size_t i = first; i < std::min(first + grain, examples_.size()) && !why; ++i) why = fill_row(i);
    });
    const auto first = std::find_if(refusals.begin(), refusals.end(), [](const error& e) { return static_cast<bool>(e); });
    return first == refusals.end() ? error() : *first;
  }

  cpu ctx_;
  const example_batch& examples_;
  const wanted_features& wanted_;
  std::span<const feature_view> found_;
};

FLOWGRAPH_INLINE std::size_t set_features(cpu ctx, const example_batch& examples, const wanted_features& wanted,
                                          std::span<const feature_view> found, std::size_t first,
                                          bool splits_of_one_are_a_count) {
  feature_outputs outputs(ctx, examples, wanted, found);
  const std::size_t sparse = wanted.sparse.size(), dense = wanted.dense.size(), ragged = wanted.ragged.size();
  for (std::size_t i = 0; i < sparse && !ctx.failed(); ++i) {
    auto result = outputs.gather(dense + i);
    if (!result) return ctx.fail(result.error()), first;
    outputs.set(first + i, indices_of(ctx, result->counts, examples.is_batch));
    ctx.set_output(first + sparse + i, result->values);
    outputs.set(first + 2 * sparse + i, examples.is_batch
                                            ? vector_of(ctx, {static_cast<std::int64_t>(examples.size()), result->most()})
                                            : vector_of(ctx, {result->most()}));
  }
  first += 3 * sparse;
  for (std::size_t i = 0; i < dense && !ctx.failed(); ++i) outputs.set(first + i, outputs.dense(i));
  first += dense;
  for (std::size_t i = 0; i < ragged && !ctx.failed(); ++i) {
    auto result = outputs.gather(dense + sparse + i);
    if (!result) return ctx.fail(result.error()), first;
    const dtype splits = wanted.ragged[i].splits;
    ctx.set_output(first + i, result->values);
    if (examples.is_batch) outputs.set(first + ragged + i, sums_of(ctx, result->counts, splits));
    else if (!splits_of_one_are_a_count) outputs.set(first + ragged + i, any_tensor::allocate(splits, {0}, ctx.memory()));
    else if (auto sums = sums_of(ctx, result->counts, splits)) {
      auto count = any_tensor::allocate(splits, {}, ctx.memory());
      if (!count) return ctx.fail(count.error()), first;
      std::memcpy(count->data(), static_cast<const std::byte*>(sums->data()) + size_of(splits), size_of(splits));
      ctx.set_output(first + ragged + i, *std::move(count));
    } else ctx.fail(sums.error());
  }
  return first + 2 * ragged;
}

// ---- shapes

FLOWGRAPH_INLINE shape with_batch(const shape& serialized, const shape& extents) {
  if (!serialized.has_rank() || !extents.has_rank()) return shape::unknown();
  shape result = serialized;
  for (const std::int64_t extent : extents) result.push_back(extent);
  return result;
}
FLOWGRAPH_INLINE void append_shapes(shape_list& to, const shape& serialized, std::size_t sparse, std::span<const shape> dense,
                                    std::size_t ragged) {
  const std::int64_t axes = serialized.has_rank() ? serialized.rank + 1 : -1;
  to.insert(to.end(), sparse, shape{-1, axes});
  to.insert(to.end(), sparse, shape{-1});
  to.insert(to.end(), sparse, shape{axes});
  for (const shape& s : dense) to.push_back(with_batch(serialized, s));
  to.insert(to.end(), ragged, shape{-1});
  to.insert(to.end(), ragged, shape::unknown());
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
