#pragma once

#include <flowgraph/ops/input/detail/parse_sequence.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The requested feature lists of a call. `may_lack`: for each dense list, whether an example without it counts as having no
// steps.
struct wanted_sequences {
  wanted_features context, lists;
  std::vector<bool> may_lack;
  bool has_lengths = true, has_ragged = false;  // among the outputs
};

// One feature list of all examples: its steps, one after another, and the number of steps of each example.
struct list_steps {
  std::vector<feature_view> steps;
  std::vector<std::int64_t> counts;

  std::int64_t most() const { return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()); }
  // Returns the example that step `i` belongs to.
  std::size_t example_of(std::size_t i) const {
    std::size_t example = 0;
    for (auto left = static_cast<std::int64_t>(i); left >= counts[example]; ++example) left -= counts[example];
    return example;
  }
};

class sequence_parser {
public:
  sequence_parser(cpu ctx, const example_batch& examples, const wanted_sequences& wanted)
      : ctx_(ctx), examples_(examples), wanted_(wanted), lists_(wanted.lists.size()) {}

  void parse() {
    std::vector<feature_view> found;
    error why = find_features(ctx_, examples_, wanted_.context, found);
    if (!why) why = find_lists();
    if (why) return ctx_.fail(why);
    next_ = set_features(ctx_, examples_, wanted_.context, found, 0, true);
    if (!ctx_.failed()) set_sparse();
    if (!ctx_.failed()) set_dense();
    if (!ctx_.failed() && wanted_.has_ragged) set_ragged();
  }

private:
  const wanted_features& lists() const { return wanted_.lists; }
  std::size_t sparse() const { return lists().sparse.size(); }
  std::size_t dense() const { return lists().dense.size(); }
  std::size_t ragged() const { return lists().ragged.size(); }

  void set(std::size_t output, result<any_tensor> result) {
    if (result) ctx_.set_output(output, *std::move(result));
    else ctx_.fail(result.error());
  }

  error find_lists() {
    std::unordered_map<std::string_view, std::size_t> slot_of;
    for (std::size_t i = 0; i < lists().size(); ++i)
      if (!slot_of.emplace(lists().key(i), i).second)
        return invalid_argument({"the feature list '", lists().key(i), "' is wanted twice"});
    for (std::size_t i = 0; i < examples_.size(); ++i)
      if (error why = find_lists_of(i, slot_of)) return why;
    return {};
  }
  error find_lists_of(std::size_t example, const std::unordered_map<std::string_view, std::size_t>& slot_of) {
    std::vector<std::optional<std::string_view>> found(lists_.size());
    const bool is_example = for_each_feature_list(examples_.bytes[example], [&](std::string_view key, std::string_view list) {
      if (const auto at = slot_of.find(key); at != slot_of.end()) found[at->second] = list;
    });
    if (!is_example) return examples_.refuse(example, {"the bytes are cut, or not an example"});
    for (std::size_t slot = 0; slot < found.size(); ++slot) {
      list_steps& into = lists_[slot];
      const std::size_t before = into.steps.size();
      if (!found[slot] && slot < dense() && !wanted_.may_lack[slot])
        return examples_.refuse(example, {"the feature list '", lists().key(slot), "' must be there"});
      if (found[slot])
        if (error why = read_steps(example, slot, *found[slot], into)) return why;
      into.counts.push_back(static_cast<std::int64_t>(into.steps.size() - before));
    }
    return {};
  }
  error read_steps(std::size_t example, std::size_t slot, std::string_view list, list_steps& into) {
    const dtype type = lists().type(slot);
    std::int64_t step = 0;
    error why;
    const bool is_list = for_each_step(list, [&](const feature_view& feature) {
      const bool may_be_empty = slot >= dense();
      if (!why && (feature.is_broken || (feature.type != type && !(may_be_empty && feature.type == dtype::invalid))))
        why = examples_.refuse(example, {"step ", step, " of the feature list '", lists().key(slot), "' must be of type ",
                                         name_of(type), ", found ", name_of(feature.type)});
      ++step;
      into.steps.push_back(feature);
    });
    if (!is_list && !why) why = examples_.refuse(example, {"the feature list '", lists().key(slot), "' is cut, or not a list"});
    return why;
  }

  result<gathered_values> gather(std::size_t slot) {
    const list_steps& l = lists_[slot];
    return gather_values(ctx_, lists().type(slot), l.steps, 1, [&](std::size_t step) {
      return examples_.refuse(l.example_of(step), {"a step of the feature list '", lists().key(slot), "' is cut, or not a list"});
    });
  }

  // Returns the indices of each value: the example if there are several, the step, and the place in the step.
  result<any_tensor> indices(const list_steps& l, const gathered_values& values) const {
    const std::int64_t axes = examples_.is_batch ? 3 : 2;
    auto result = any_tensor::allocate(dtype::int64, {static_cast<std::int64_t>(values.values.size()), axes}, ctx_.memory());
    if (!result) return result;
    std::int64_t* to = result->as_writable<std::int64_t>().data();
    std::size_t at = 0;
    for (std::size_t example = 0; example < l.counts.size(); ++example)
      for (std::int64_t step = 0; step < l.counts[example]; ++step, ++at)
        for (std::int64_t i = 0; i < values.counts[at]; ++i) {
          if (examples_.is_batch) *to++ = static_cast<std::int64_t>(example);
          *to++ = step;
          *to++ = i;
        }
    return result;
  }
  void set_sparse() {
    for (std::size_t i = 0; i < sparse() && !ctx_.failed(); ++i) {
      const list_steps& l = lists_[dense() + i];
      auto result = gather(dense() + i);
      if (!result) return ctx_.fail(result.error());
      set(next_ + i, indices(l, *result));
      ctx_.set_output(next_ + sparse() + i, result->values);
      const std::int64_t steps = l.most(), most = result->most();
      set(next_ + 2 * sparse() + i, examples_.is_batch
                                        ? vector_of(ctx_, {static_cast<std::int64_t>(examples_.size()), steps, most})
                                        : vector_of(ctx_, {steps, most}));
    }
    next_ += 3 * sparse();
  }

  result<any_tensor> dense_list(std::size_t slot) {
    const wanted_dense& f = lists().dense[slot];
    const list_steps& l = lists_[slot];
    const std::int64_t stride = f.extents.size();
    flowgraph::shape whole;
    if (examples_.is_batch) whole.push_back(static_cast<std::int64_t>(examples_.size()));
    whole.push_back(l.most());
    for (const std::int64_t extent : f.extents) whole.push_back(extent);
    auto result = any_tensor::allocate(f.type, whole, ctx_.memory());
    if (!result) return result;
    fill_with_zeros(*result);
    std::size_t at = 0;
    for (std::size_t example = 0; example < l.counts.size(); ++example)
      for (std::int64_t step = 0; step < l.counts[example]; ++step, ++at)
        if (!copy_values(l.steps[at], *result, (static_cast<std::int64_t>(example) * l.most() + step) * stride, stride))
          return examples_.refuse(example, {"step ", step, " of the feature list '", f.key, "' must have ", stride,
                                            " values, found ", count_values(l.steps[at])});
    return result;
  }
  result<any_tensor> lengths(std::size_t slot) {
    auto result = any_tensor::allocate(dtype::int64, examples_.bytes.shape(), ctx_.memory());
    if (result) std::copy(lists_[slot].counts.begin(), lists_[slot].counts.end(), result->as_writable<std::int64_t>().begin());
    return result;
  }
  void set_dense() {
    for (std::size_t i = 0; i < dense() && !ctx_.failed(); ++i) {
      set(next_ + i, dense_list(i));
      if (wanted_.has_lengths && !ctx_.failed()) set(next_ + dense() + i, lengths(i));
    }
    next_ += (wanted_.has_lengths ? 2 : 1) * dense();
  }

  // For one example, this is the number of its steps; TensorFlow does not set that scalar.
  result<any_tensor> outer_splits(const list_steps& l, dtype type) {
    if (examples_.is_batch) return sums_of(ctx_, l.counts, type);
    auto result = any_tensor::allocate(type, {}, ctx_.memory());
    if (result && type == dtype::int32) result->as_writable<std::int32_t>().scalar() = static_cast<std::int32_t>(l.most());
    else if (result) result->as_writable<std::int64_t>().scalar() = l.most();
    return result;
  }
  void set_ragged() {
    for (std::size_t i = 0; i < ragged() && !ctx_.failed(); ++i) {
      const std::size_t slot = dense() + sparse() + i;
      auto result = gather(slot);
      if (!result) return ctx_.fail(result.error());
      const dtype splits = lists().ragged[i].splits;
      ctx_.set_output(next_ + i, result->values);
      set(next_ + ragged() + i, outer_splits(lists_[slot], splits));
      if (!ctx_.failed()) set(next_ + 2 * ragged() + i, sums_of(ctx_, result->counts, splits));
    }
  }

  cpu ctx_;
  const example_batch& examples_;
  const wanted_sequences& wanted_;
  std::vector<list_steps> lists_;
  std::size_t next_ = 0;
};

// ---- attributes

// Sets dense feature lists, whose steps have no defaults.
inline error want_dense_lists(wanted_features& wanted, std::span<const std::string_view> keys, std::span<const dtype> types,
                              std::span<const shape> shapes) {
  if (keys.size() != types.size() || shapes.size() != types.size())
    return invalid_argument({"dense feature lists need as many keys and shapes as types, ", types.size(), "; found ", keys.size(),
                             " and ", shapes.size()});
  std::vector<wanted_list> checked;
  if (error why = want_lists(checked, keys, types, "dense")) return why;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!shapes[i].is_known())
      return invalid_argument({"the steps of the feature list '", keys[i], "' must have a known shape, found ", shapes[i]});
    wanted.dense.push_back({keys[i], types[i], shapes[i]});
  }
  return {};
}

struct sequence_keys {
  std::vector<std::string_view> context_sparse, context_dense, list_sparse, list_dense;
};
inline error want_sequences(wanted_sequences& wanted, const sequence_types& types, const sequence_keys& keys, any_list presets) {
  error why =
      want_dense(wanted.context, keys.context_dense, types.context_dense_types, types.context_dense_shapes, presets, false);
  if (!why) why = want_lists(wanted.context.sparse, keys.context_sparse, types.context_sparse_types, "sparse");
  if (!why)
    why = want_dense_lists(wanted.lists, keys.list_dense, types.feature_list_dense_types, types.feature_list_dense_shapes);
  if (!why) why = want_lists(wanted.lists.sparse, keys.list_sparse, types.feature_list_sparse_types, "sparse");
  return why;
}
inline std::vector<bool> among(std::span<const std::string_view> keys, std::span<const std::string_view> chosen) {
  std::vector<bool> result;
  for (const std::string_view key : keys) result.push_back(std::find(chosen.begin(), chosen.end(), key) != chosen.end());
  return result;
}

inline void append_list_shapes(shape_list& to, const shape& serialized, const sequence_types& types, bool has_lengths,
                               std::size_t ragged) {
  const std::int64_t axes = serialized.has_rank() ? serialized.rank + 2 : -1;
  const std::size_t sparse = types.feature_list_sparse_types.size();
  to.insert(to.end(), sparse, shape{-1, axes});
  to.insert(to.end(), sparse, shape{-1});
  to.insert(to.end(), sparse, shape{axes});
  for (const shape& s : types.feature_list_dense_shapes) {
    shape steps{-1};
    for (const std::int64_t extent : s) steps.push_back(extent);
    to.push_back(with_batch(serialized, s.has_rank() ? steps : s));
  }
  if (has_lengths) to.insert(to.end(), types.feature_list_dense_types.size(), serialized);
  to.insert(to.end(), ragged, shape{-1});
  to.insert(to.end(), ragged, shape::unknown());
  to.insert(to.end(), ragged, shape{-1});
}
inline void check_rank_of_sequences(shape_context& c, const shape& serialized, int least, int most) {
  if (serialized.has_rank() && (serialized.rank < least || serialized.rank > most))
    c.fail(message{"serialized must have rank ", least, least == most ? "" : " or more, at most ", least == most ? "" : "1"});
}

}  // namespace detail

// ---- ParseSequenceExample

FLOWGRAPH_INLINE std::vector<dtype> parse_sequence_example_op::output_types() const {
  return detail::types_of_lists(context_sparse_types, context_dense_types, feature_list_sparse_types, feature_list_dense_types);
}
FLOWGRAPH_INLINE std::vector<std::uint32_t> parse_sequence_example_op::output_sizes() const {
  const std::size_t context = context_sparse_types.size(), sparse = feature_list_sparse_types.size(),
                    dense = feature_list_dense_types.size();
  return detail::sizes_of_lists(context, context, context, context_dense_types.size(), sparse, sparse, sparse, dense, dense);
}
FLOWGRAPH_INLINE shape_list parse_sequence_example_op::shape(shape_context& c, const flowgraph::shape& serialized,
                                                             const flowgraph::shape&, std::span<const flowgraph::shape>) const {
  detail::check_rank_of_sequences(c, serialized, 1, 1);
  const flowgraph::shape batch = serialized.has_rank() ? serialized : flowgraph::shape{-1};
  shape_list shapes;
  detail::append_shapes(shapes, batch, context_sparse_types.size(), context_dense_shapes, 0);
  detail::append_list_shapes(shapes, batch, *this, true, 0);
  return shapes;
}
FLOWGRAPH_INLINE void parse_sequence_example_op::operator()(
    cpu ctx, view<const std::string> serialized, view<const std::string> debug_name, any_list context_dense_defaults,
    unsized_list<std::int64_t>, any_output_list, unsized_list<std::int64_t>, any_output_list, unsized_list<std::int64_t>,
    any_output_list, unsized_list<std::int64_t>, any_output_list, unsized_list<std::int64_t>) const {
  const detail::example_batch examples{serialized, debug_name, true};
  const detail::sequence_keys keys{detail::keys_of(context_sparse_keys), detail::keys_of(context_dense_keys),
                                   detail::keys_of(feature_list_sparse_keys), detail::keys_of(feature_list_dense_keys)};
  detail::wanted_sequences wanted;
  error why = detail::check_batch(examples, false);
  if (!why) why = detail::want_sequences(wanted, *this, keys, context_dense_defaults);
  if (why) return ctx.fail(why);
  wanted.may_lack = detail::among(keys.list_dense, detail::keys_of(feature_list_dense_missing_assumed_empty));
  detail::sequence_parser(ctx, examples, wanted).parse();
}

// ---- ParseSequenceExampleV2

FLOWGRAPH_INLINE std::vector<dtype> parse_sequence_example_v2_op::output_types() const {
  return detail::types_of_lists(context_sparse_types, context_dense_types, context_ragged_value_types, context_ragged_split_types,
                                feature_list_sparse_types, feature_list_dense_types, feature_list_ragged_value_types,
                                feature_list_ragged_split_types, feature_list_ragged_split_types);
}
FLOWGRAPH_INLINE std::vector<std::uint32_t> parse_sequence_example_v2_op::output_sizes() const {
  const std::size_t context = context_sparse_types.size(), sparse = feature_list_sparse_types.size(),
                    dense = feature_list_dense_types.size(), ragged = feature_list_ragged_split_types.size();
  return detail::sizes_of_lists(context, context, context, context_dense_types.size(), context_ragged_value_types.size(),
                                context_ragged_split_types.size(), sparse, sparse, sparse, dense, dense,
                                feature_list_ragged_value_types.size(), ragged, ragged);
}
FLOWGRAPH_INLINE shape_list parse_sequence_example_v2_op::shape(shape_context& c, const flowgraph::shape& serialized,
                                                                const flowgraph::shape&, const flowgraph::shape&,
                                                                const flowgraph::shape&, const flowgraph::shape&,
                                                                const flowgraph::shape&, const flowgraph::shape&,
                                                                const flowgraph::shape&, const flowgraph::shape&,
                                                                std::span<const flowgraph::shape>) const {
  detail::check_rank_of_sequences(c, serialized, 0, 1);
  shape_list shapes;
  detail::append_shapes(shapes, serialized, context_sparse_types.size(), context_dense_shapes, context_ragged_value_types.size());
  detail::append_list_shapes(shapes, serialized, *this, true, feature_list_ragged_value_types.size());
  return shapes;
}
FLOWGRAPH_INLINE void parse_sequence_example_v2_op::operator()(
    cpu ctx, view<const std::string> serialized, view<const std::string> debug_name, view<const std::string> context_sparse_keys,
    view<const std::string> context_dense_keys, view<const std::string> context_ragged_keys,
    view<const std::string> list_sparse_keys, view<const std::string> list_dense_keys, view<const std::string> list_ragged_keys,
    view<const bool> missing_assumed_empty, any_list context_dense_defaults, unsized_list<std::int64_t>, any_output_list,
    unsized_list<std::int64_t>, any_output_list, any_output_list, any_output_list, unsized_list<std::int64_t>, any_output_list,
    unsized_list<std::int64_t>, any_output_list, unsized_list<std::int64_t>, any_output_list, any_output_list,
    any_output_list) const {
  const detail::example_batch examples{serialized, debug_name, serialized.rank() > 0};
  const detail::sequence_keys keys{detail::keys_of(context_sparse_keys), detail::keys_of(context_dense_keys),
                                   detail::keys_of(list_sparse_keys), detail::keys_of(list_dense_keys)};
  detail::wanted_sequences wanted;
  wanted.has_ragged = true;
  error why = detail::check_batch(examples, true);
  if (!why) why = detail::want_sequences(wanted, *this, keys, context_dense_defaults);
  if (!why)
    why = detail::want_ragged(wanted.context.ragged, detail::keys_of(context_ragged_keys), context_ragged_value_types,
                              context_ragged_split_types);
  if (!why)
    why = detail::want_ragged(wanted.lists.ragged, detail::keys_of(list_ragged_keys), feature_list_ragged_value_types,
                              feature_list_ragged_split_types);
  if (!why && missing_assumed_empty.size() != keys.list_dense.size())
    why = detail::invalid_argument({"feature_list_dense_missing_assumed_empty must have ", keys.list_dense.size(),
                                    " elements, found ", missing_assumed_empty.size()});
  if (why) return ctx.fail(why);
  wanted.may_lack.assign(missing_assumed_empty.begin(), missing_assumed_empty.end());
  detail::sequence_parser(ctx, examples, wanted).parse();
}

// ---- ParseSingleSequenceExample

FLOWGRAPH_INLINE std::vector<dtype> parse_single_sequence_example_op::output_types() const {
  return detail::types_of_lists(context_sparse_types, context_dense_types, feature_list_sparse_types, feature_list_dense_types);
}
FLOWGRAPH_INLINE std::vector<std::uint32_t> parse_single_sequence_example_op::output_sizes() const {
  const std::size_t context = context_sparse_types.size(), sparse = feature_list_sparse_types.size();
  return detail::sizes_of_lists(context, context, context, context_dense_types.size(), sparse, sparse, sparse,
                                feature_list_dense_types.size());
}
FLOWGRAPH_INLINE shape_list parse_single_sequence_example_op::shape(
    shape_context& c, const flowgraph::shape& serialized, const flowgraph::shape&, std::span<const flowgraph::shape>,
    std::span<const flowgraph::shape>, std::span<const flowgraph::shape>, std::span<const flowgraph::shape>,
    std::span<const flowgraph::shape>, const flowgraph::shape&) const {
  detail::check_rank_of_sequences(c, serialized, 0, 0);
  shape_list shapes;
  detail::append_shapes(shapes, {}, context_sparse_types.size(), context_dense_shapes, 0);
  detail::append_list_shapes(shapes, {}, *this, false, 0);
  return shapes;
}
FLOWGRAPH_INLINE void parse_single_sequence_example_op::operator()(
    cpu ctx, view<const std::string> serialized, view<const std::string> missing_assumed_empty,
    view_list<const std::string> context_sparse_keys, view_list<const std::string> context_dense_keys,
    view_list<const std::string> list_sparse_keys, view_list<const std::string> list_dense_keys, any_list context_dense_defaults,
    view<const std::string> debug_name, unsized_list<std::int64_t>, any_output_list, unsized_list<std::int64_t>, any_output_list,
    unsized_list<std::int64_t>, any_output_list, unsized_list<std::int64_t>, any_output_list) const {
  const detail::example_batch examples{serialized, debug_name, false};
  const detail::sequence_keys keys{detail::keys_of(context_sparse_keys), detail::keys_of(context_dense_keys),
                                   detail::keys_of(list_sparse_keys), detail::keys_of(list_dense_keys)};
  detail::wanted_sequences wanted;
  wanted.has_lengths = false;
  if (error why = detail::want_sequences(wanted, *this, keys, context_dense_defaults)) return ctx.fail(why);
  wanted.may_lack = detail::among(keys.list_dense, detail::keys_of(missing_assumed_empty));
  detail::sequence_parser(ctx, examples, wanted).parse();
}

}  // namespace flowgraph
