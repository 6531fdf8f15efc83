#pragma once

#include <flowgraph/ops/lookup/keyed_rows.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/train/click_models.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline error click_model_refusal(const click_model_options& o) {
  const auto refused = [](const message& why) { return error(error_code::invalid_argument, why); };
  constexpr std::int64_t most = 1 << 20, most_fields = most_row_columns - 1;
  const bool is_ffm = o.kind == click_model_kind::ffm;
  if (is_ffm && o.fields < 1) return refused({"ffm needs the number of fields, found ", o.fields});
  if (o.fields < 0 || o.fields > most_fields) return refused({"fields must be 0 to ", most_fields, ", found ", o.fields});
  // A row of the table contains a weight and all factors.
  const std::int64_t most_factors = (most_row_columns - 1) / (is_ffm ? o.fields : 1);
  const std::string by_field = is_ffm ? " for " + std::to_string(o.fields) + " fields" : "";
  if (o.factors < 1 || o.factors > most_factors)
    return refused({"factors must be 1 to ", most_factors, by_field, ", found ", o.factors});
  for (const std::int64_t n : o.hidden)
    if (n < 1 || n > most) return refused({"the size of a hidden layer must be 1 to ", most, ", found ", n});
  return {};
}

inline std::int64_t click_model_columns(const click_model_options& o) {
  return 1 + o.factors * (o.kind == click_model_kind::ffm ? std::max<std::int64_t>(1, o.fields) : 1);
}

template <class T, class From> tensor<T> tensor_of_numbers(const std::vector<From>& from) {
  return tensor<T>(flowgraph::shape{static_cast<std::int64_t>(from.size())}, std::span<const T>(from.data(), from.size()));
}

}  // namespace detail

inline std::string_view name_of(click_model_kind kind) {
  switch (kind) {
    case click_model_kind::fm: return "fm";
    case click_model_kind::ffm: return "ffm";
    case click_model_kind::nfm: return "nfm";
    case click_model_kind::wide_deep: return "widedeep";
  }
  return "";
}

inline click_model::click_model(const graph& in, const click_model_options& o, site s) : options(o) {
  graph g = in;
  if (error why = detail::click_model_refusal(o)) {
    detail::refuse(g, std::move(why).at(s.location));
    return;
  }
  keys = g.placeholder<std::int64_t>("keys", {any});
  splits = g.placeholder<std::int64_t>("splits", {any});
  values = g.placeholder<float>("values", {any});
  labels = g.placeholder<float>("labels", {any});
  if (o.kind == click_model_kind::ffm) fields = g.placeholder<std::int32_t>("fields", {any});
  const bool has_cells = o.kind == click_model_kind::wide_deep && o.fields > 0;
  if (has_cells) cells = g.placeholder<std::int64_t>("cells", {any});
  table = sparse_table<float>(g,
                              {.columns = detail::click_model_columns(o),
                               .seed = o.seed,
                               .initial_scale = o.initial_scale,
                               .expected_rows = o.expected_rows,
                               .memory_limit = o.memory_limit,
                               .without_locks = o.without_locks},
                              s);
  file = g.placeholder<std::string>("file", {});
  save = table.save(file);
  restore = table.restore(file);
  create_rows = table.prepare(keys);
  bias = g.variable("bias", zeros<float>({}));
  if (o.kind == click_model_kind::nfm || o.kind == click_model_kind::wide_deep)
    add_layers(g, o.factors * (has_cells ? o.fields : 1));
  const out<float> known = logits_of(table.peek(keys));
  out<float> penalty;
  if (has_cells) {
    const out<float> rows = embedding_lookup(table, keys);
    logits = logits_of(rows);
    penalty = penalty_of(rows, {});
  } else if (o.kind == click_model_kind::ffm) {
    const table_interactions result = table.field_interactions(keys, values, fields, splits, o.fields, 1);
    logits = sum(result.sums, {1}) + bias;
    penalty = penalty_of({}, result.squares);
  } else {
    const table_interactions result = table.interactions(keys, values, splits, linear_columns());
    logits = logits_of_pairs(result.sums);
    penalty = penalty_of({}, result.squares);
  }
  loss = mean(o.regression ? square(logits - labels) : sigmoid_cross_entropy(logits, labels));
  objective = penalty.source ? loss + penalty : loss;
  predictions = o.regression ? known : sigmoid(known);
}

namespace detail {

// Initial weights of layers, with which the layers return the sum of their inputs, as in a factorization machine. Units 2 j and 2
// j + 1 of a hidden layer are relu(x) and relu(-x), so their difference is x. The other units have random weights, and the next
// layer multiplies them by 0.
struct summing_layers {
  std::int64_t carried;       // how many numbers the next layer must sum
  bool are_in_units = false;  // true: each number is the difference of two units; false: an input

  // Returns the weights of the next layer.
  tensor<float> next(std::int64_t inputs, std::int64_t units, std::int64_t seed) {
    tensor<float> result({inputs, units});
    const std::span<float> to = result.writable();
    const std::int64_t pairs = std::max<std::int64_t>(units / 2, 1), used = std::min(pairs, carried);
    const double bound = uniform_bound(2, static_cast<double>(inputs));
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    for (std::int64_t i = 0; i < inputs; ++i) {
      const std::int64_t which = are_in_units ? i / 2 : i;
      const float sign = are_in_units && i % 2 == 1 ? -1.f : 1.f;
      for (std::int64_t unit = 0; unit < units; ++unit) {
        float& w = to[static_cast<std::size_t>(i * units + unit)];
        if (unit >= 2 * used) w = static_cast<float>(bound * (0x1p-52 * static_cast<double>(random() >> 11) - 1));
        else w = which >= carried || which % pairs != unit / 2 ? 0.f : unit % 2 == 0 ? sign : -sign;
      }
    }
    carried = used;
    are_in_units = true;
    return result;
  }
};

// Returns whether the weights of layers are small enough to be stored in the graph.
inline bool are_small_layers(std::int64_t inputs, const std::vector<std::int64_t>& sizes) {
  constexpr std::int64_t most = 1 << 22;
  for (const std::int64_t size : sizes) {
    if (inputs > most / size) return false;
    inputs = size;
  }
  return true;
}

}  // namespace detail

inline void click_model::add_layers(graph& g, std::int64_t inputs) {
  std::vector<std::int64_t> sizes = options.hidden;
  sizes.push_back(1);
  const bool begins_as_sum = options.kind == click_model_kind::nfm && detail::are_small_layers(inputs, sizes);
  detail::summing_layers sum{inputs};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string name = "layer_" + std::to_string(i);
    const std::int64_t seed = options.seed + static_cast<std::int64_t>(i);
    const bool is_last = i + 1 == sizes.size();
    const flowgraph::shape size{inputs, sizes[i]};
    initializer<float> begin = is_last ? glorot_uniform<float>(size, seed) : he_uniform<float>(size, seed);
    if (begins_as_sum) begin = initial_tensor(sum.next(inputs, sizes[i], seed));
    layers.push_back(g.variable(name + "/weights", begin));
    if (!is_last) layers.push_back(g.variable(name + "/bias", zeros<float>({sizes[i]})));
    inputs = sizes[i];
  }
}

inline out<float> click_model::layers_of(out<float> x) const {
  for (std::size_t i = 0; i + 1 < layers.size(); i += 2) x = relu(matmul(x, layers[i]) + layers[i + 1]);
  return reshape(matmul(x, layers.back()), {-1});
}

inline std::int64_t click_model::linear_columns() const {
  return options.kind == click_model_kind::wide_deep ? 1 + options.factors : 1;
}

inline out<float> click_model::logits_of_pairs(const out<float>& y) const {
  if (options.kind == click_model_kind::fm) return sum(y, {1}) + bias;
  return sum(slice(y, {0, 0}, {-1, 1}), {1}) + layers_of(slice(y, {0, 1}, {-1, options.factors})) + bias;
}

inline out<float> click_model::logits_of(const out<float>& rows) const {
  const std::int64_t k = options.factors;
  if (options.kind == click_model_kind::ffm)
    return sum(field_pair_interactions(rows, values, fields, splits, options.fields, 1), {1}) + bias;
  if (!cells.source) return logits_of_pairs(pair_interactions(rows, values, splits, linear_columns()));
  const out<std::int64_t> samples = size_of<std::int64_t>(splits) - std::int64_t{1};
  const out<float> weighted = rows * expand_dims(values, 1);
  const out<float> y = reshape(unsorted_segment_sum(weighted, cells, samples * options.fields), {-1, options.fields, 1 + k});
  const out<float> deep = reshape(slice(y, {0, 0, 1}, {-1, -1, k}), {-1, options.fields * k});
  return sum(slice(y, {0, 0, 0}, {-1, -1, 1}), {1, 2}) + layers_of(deep) + bias;
}

inline out<float> click_model::penalty_of(const out<float>& rows, const out<float>& squares) const {
  const click_model_options& o = options;
  out<float> total;
  const auto add = [&](const out<float>& part) { total = total.source ? total + part : part; };
  if (o.l2_linear > 0 || o.l2_factors > 0) {
    const out<float> samples = cast<float>(size_of<std::int64_t>(splits) - std::int64_t{1});
    if (o.l2_linear == o.l2_factors) {
      add(o.l2_linear * (rows.source ? l2_loss(rows) : sum(squares)) / samples);
    } else {
      const auto root = [&](float x) { return rows.source ? std::sqrt(x) : x; };
      // With fields, `squares` has one number for all factors.
      tensor<float> scale({o.kind == click_model_kind::ffm ? 2 : detail::click_model_columns(o)});
      for (float& x : scale.writable()) x = root(o.l2_factors);
      scale.writable()[0] = root(o.l2_linear);
      if (rows.source) add(l2_loss(rows * detail::constant_beside(rows, scale)) / samples);
      else add(sum(squares * detail::constant_beside(squares, scale)) / samples);
    }
  }
  if (o.l2_bias > 0) add(o.l2_bias * l2_loss(out<float>(bias)));
  if (o.l2_layers > 0)
    for (std::size_t i = 0; i < layers.size(); i += 2) add(o.l2_layers * l2_loss(out<float>(layers[i])));
  return total;
}

namespace detail {

// Divides the values of each sample by their norm.
inline void normalize_samples(const click_batch& batch, std::span<float> values) {
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    const auto first = static_cast<std::size_t>(batch.splits[row]), last = static_cast<std::size_t>(batch.splits[row + 1]);
    float squares = 0;
    for (std::size_t i = first; i < last; ++i) squares += values[i] * values[i];
    if (squares > 0 && std::isfinite(squares)) {
      const float factor = 1 / std::sqrt(squares);
      for (std::size_t i = first; i < last; ++i) values[i] *= factor;
      continue;
    }
    // The squares of very small and very large values are no floats.
    double wide = 0;
    for (std::size_t i = first; i < last; ++i) wide += double{values[i]} * double{values[i]};
    const double factor = wide > 0 ? 1 / std::sqrt(wide) : 0;
    for (std::size_t i = first; i < last; ++i) values[i] = static_cast<float>(values[i] * factor);
  }
}

}  // namespace detail

inline result<std::vector<fed>> click_model::feeds(const click_batch& batch) const {
  const auto misfit = [](const message& why) { return error(error_code::invalid_argument, why); };
  tensor<float> is_clicked = detail::tensor_of_numbers<float>(batch.labels);
  if (!options.regression)
    for (float& label : is_clicked.writable()) label = label > 0 ? 1.f : 0.f;
  tensor<float> factors = detail::tensor_of_numbers<float>(batch.values);
  if (options.normalize) detail::normalize_samples(batch, {factors.writable().data(), factors.size()});
  std::vector<fed> result{{keys, detail::tensor_of_numbers<std::int64_t>(batch.keys)},
                          {splits, detail::tensor_of_numbers<std::int64_t>(batch.splits)},
                          {values, std::move(factors)},
                          {labels, std::move(is_clicked)}};
  if (!fields.source && !cells.source) return result;
  if (batch.fields.size() != batch.keys.size()) return misfit({"the model needs the field of each feature, as in libffm"});
  for (std::size_t i = 0; i < batch.fields.size(); ++i)
    if (batch.fields[i] < 0 || batch.fields[i] >= options.fields)
      return misfit(
          {"a feature of the key ", batch.keys[i], " has the field ", batch.fields[i], ", expected 0 to ", options.fields - 1});
  if (fields.source) {
    result.push_back({fields, detail::tensor_of_numbers<std::int32_t>(batch.fields)});
    return result;
  }
  tensor<std::int64_t> of_features({static_cast<std::int64_t>(batch.fields.size())});
  std::int64_t* to = of_features.writable().data();
  for (std::size_t row = 0; row < batch.rows(); ++row)
    for (std::int64_t i = batch.splits[row]; i < batch.splits[row + 1]; ++i)
      *to++ = static_cast<std::int64_t>(row) * options.fields + batch.fields[static_cast<std::size_t>(i)];
  result.push_back({cells, std::move(of_features)});
  return result;
}

inline result<float> click_model::step(session& s, const target& update, const click_batch& batch, std::vector<float>* to) const {
  auto fed_batch = feeds(batch);
  if (!fed_batch) return fed_batch.error();
  return step(s, update, *fed_batch, to);
}

inline result<float> click_model::step(session& s, const target& update, const std::vector<fed>& feeds,
                                       std::vector<float>* to) const {
  const any_out fetches[]{loss, logits};
  auto result = s.try_run({feeds, std::span(fetches, to ? 2u : 1u), {&update, 1}});
  if (!result) return result.error();
  if (to) to->assign((*result)[1].as<float>().begin(), (*result)[1].as<float>().end());
  return (*result)[0].as<float>()[0];
}

inline result<void> click_model::prepare(session& s, const std::vector<fed>& feeds) const {
  for (const fed& f : feeds)
    if (f.where == any_out(keys)) {
      auto result = s.try_run({{&f, 1}, {}, {&create_rows, 1}});
      if (!result) return result.error();
    }
  return {};
}

inline result<std::vector<float>> click_model::predict(session& s, const click_batch& batch) const {
  auto fed_batch = feeds(batch);
  if (!fed_batch) return fed_batch.error();
  const any_out fetches[]{predictions};
  auto result = s.try_run({*fed_batch, fetches});
  if (!result) return result.error();
  const auto found = (*result)[0].as<float>();
  return std::vector<float>(found.begin(), found.end());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
