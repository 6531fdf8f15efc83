#pragma once

#include <flowgraph/ops/nn/detail/batch_norm.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A batch of images or volumes; its channels, -1 while they are unknown.
FLOWGRAPH_COLD inline std::int64_t channels_of_batch(shape_context& c, const batch_norm_settings& s, const shape& x) {
  if (!x.has_rank()) return -1;
  if (x.rank == 4 || x.rank == 5) return x[s.channels_first ? 1 : x.rank - 1];
  c.fail("expected a batch of four or five axes");
  return -1;
}
FLOWGRAPH_COLD inline void check_channels(shape_context& c, const shape& v, std::int64_t channels, std::string_view what) {
  if (c.failed() || fits(v, {channels})) return;
  if (channels < 0) c.fail(message{what, " must be a vector"});
  else c.fail(message{what, " must be a vector of one element per channel (", channels, ")"});
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::batch_norm_shapes(shape_context& c, const batch_norm_settings& s,
                                                                     std::span<const shape* const> inputs, std::size_t outputs) {
  const shape& x = *inputs[0];
  std::int64_t channels = channels_of_batch(c, s, x);
  // The batch's own statistics leave nothing of the averages.
  const bool uses_averages = !s.training || s.average_factor != 1;
  constexpr std::string_view names[]{"scale", "offset", "mean", "variance"};
  for (std::size_t i = 1; i < 5; ++i) {
    const bool counts = i < 3 || uses_averages;
    check_channels(c, *inputs[i], counts ? channels : -1, names[i - 1]);
    if (!c.failed() && counts && channels < 0 && inputs[i]->rank == 1) channels = (*inputs[i])[0];
  }
  shape result = x;
  if (!c.failed() && x.has_rank()) result[s.channels_first ? 1 : -1] = channels;
  shape_list all{result, {channels}, {channels}, {channels}, {channels}};
  if (outputs == 6) all.push_back(shape{});
  return all;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::batch_norm_gradient_shapes(shape_context& c, const batch_norm_settings& s,
                                                                              std::span<const shape* const> inputs) {
  const bool fit = fits(*inputs[0], *inputs[1]);
  if (!fit) c.fail("expected a gradient in the shape of the batch");
  const shape x = fit ? merged(*inputs[0], *inputs[1]) : *inputs[1];
  std::int64_t channels = c.failed() ? -1 : channels_of_batch(c, s, x);
  constexpr std::string_view names[]{"scale", "reserve_space_1", "reserve_space_2"};
  for (std::size_t i = 2; i < 5; ++i) {
    check_channels(c, *inputs[i], channels, names[i - 2]);
    if (!c.failed() && channels < 0 && inputs[i]->rank == 1) channels = (*inputs[i])[0];
  }
  return {x, {channels}, {channels}, {0}, {0}};
}

FLOWGRAPH_INLINE void detail::set_batch_normalization(float epsilon, const edge_value* const* others, float* factors,
                                                      result_finish& f) {
  const auto floats = [&](std::size_t k) { return static_cast<const float*>(others[k]->tensor.data()); };
  const float *const scale = floats(0), *const variance = floats(3);
  for (std::int64_t c = 0; c < f.columns; ++c) factors[c] = scale[c] / std::sqrt(variance[c] + epsilon);
  f.shift = floats(2);
  f.factor = factors;
  f.offset = floats(1);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::batch_norm_scratch(const shape& x, bool channels_first) {
  if (x.rank < 2 || x.size() == 0) return 0;
  const channel_tasks t(x, channels_first);
  return static_cast<std::size_t>(t.parts * t.channels) * sizeof(moments) +
         static_cast<std::size_t>(3 * t.channels) * sizeof(float);
}

FLOWGRAPH_INLINE void detail::without_elements(const batch_statistics& b, std::int64_t channels) {
  for (float* v : {b.new_mean, b.new_variance}) std::fill_n(v, channels, std::numeric_limits<float>::quiet_NaN());
  for (float* v : {b.saved_mean, b.saved_variance}) std::fill_n(v, channels, 0.f);
}

FLOWGRAPH_INLINE void detail::finish_statistics(const batch_norm_settings& s, const channel_tasks& t, const moments* parts,
                                                const batch_statistics& b) {
  if (!s.training) {
    std::copy_n(b.mean, t.channels, b.new_mean);
    std::copy_n(b.variance, t.channels, b.new_variance);
    for (float* v : {b.saved_mean, b.saved_variance}) std::fill_n(v, t.channels, 0.f);
    return;
  }
  const auto n = static_cast<double>(t.count());
  for (std::int64_t c = 0; c < t.channels; ++c) {
    moments all = parts[c];
    for (std::int64_t i = 1; i < t.parts; ++i) {
      const moments& some = parts[i * t.channels + c];
      if (some.count > 0) all.join(some.count, some.mean, some.squares);
    }
    b.saved_mean[c] = static_cast<float>(all.mean);
    b.saved_variance[c] = static_cast<float>(all.squares / n);
    const auto unbiased = static_cast<float>(all.squares / std::max(n - 1, 1.));
    const float new_share = s.average_factor, old_share = 1 - new_share;
    b.new_mean[c] = new_share == 1 ? b.saved_mean[c] : old_share * b.mean[c] + new_share * b.saved_mean[c];
    b.new_variance[c] = new_share == 1 ? unbiased : old_share * b.variance[c] + new_share * unbiased;
  }
}

FLOWGRAPH_INLINE void detail::finish_gradient(const batch_norm_settings& s, const channel_tasks& t, const gradient_sums* parts,
                                              const batch_statistics& b, const batch_norm_room& room, float* dscale,
                                              float* doffset) {
  const auto n = static_cast<double>(t.count());
  for (std::int64_t c = 0; c < t.channels; ++c) {
    gradient_sums all;
    for (std::int64_t i = 0; i < t.parts; ++i) {
      all.sum += parts[i * t.channels + c].sum;
      all.product += parts[i * t.channels + c].product;
    }
    const double variance = static_cast<double>(b.variance[c]) + static_cast<double>(s.epsilon);
    const double inverse = 1 / std::sqrt(variance);
    doffset[c] = static_cast<float>(all.sum);
    dscale[c] = static_cast<float>(all.product * inverse);
    room.first[c] = s.training ? static_cast<float>(all.sum / n) : 0;
    room.second[c] = s.training ? static_cast<float>(all.product / n / variance) : 0;
    room.third[c] = static_cast<float>(static_cast<double>(b.scale[c]) * inverse);
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
