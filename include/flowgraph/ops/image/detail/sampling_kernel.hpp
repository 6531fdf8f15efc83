#pragma once
// The kernels of ScaleAndTranslate, and the pixels that they weight along an axis.

#include <flowgraph/ops/image/detail/weighted_spans.hpp>
#include <flowgraph/ops/image/scale_and_translate.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline float kernel_radius(sampling_kernel kind) {
  switch (kind) {
    case sampling_kernel::lanczos3: return 3;
    case sampling_kernel::lanczos5: return 5;
    case sampling_kernel::gaussian: return 1.5f;
    case sampling_kernel::keyscubic:
    case sampling_kernel::mitchellcubic: return 2;
    default: return 1;
  }
}

inline float lanczos_weight(float radius, float x) {
  constexpr float pi = 3.14159265359f;
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  return radius * std::sin(pi * x) * std::sin(pi * x / radius) / (pi * pi * x * x);
}
inline float keys_weight(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4.0f) * x + 2.0f;
  return (1.5f * x - 2.5f) * x * x + 1.0f;
}
inline float mitchell_weight(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-7.0f / 18.0f * x + 2.0f) * x - 10.0f / 3.0f) * x + 16.0f / 9.0f;
  return (7.0f / 6.0f * x - 2.0f) * x * x + 8.0f / 9.0f;
}

// Returns the weight of a pixel at distance x, which is not negative.
inline float kernel_weight(sampling_kernel kind, float x) {
  switch (kind) {
    case sampling_kernel::gaussian: return x >= 1.5f ? 0 : static_cast<float>(std::exp(static_cast<double>(-x * x) / 0.5));
    case sampling_kernel::box: return x < 0.5f ? 1.0f : x == 0.5f ? 0.5f : 0.0f;
    case sampling_kernel::triangle: return x < 1 ? 1 - x : 0;
    case sampling_kernel::keyscubic: return keys_weight(x);
    case sampling_kernel::mitchellcubic: return mitchell_weight(x);
    default: return lanczos_weight(kernel_radius(kind), x);
  }
}

// One axis of images of `from` pixels that are scaled to `to` pixels.
struct sampled_axis {
  std::int64_t from, to;
  sampling_kernel kind;
  float inverse, shift, kernel_scale;

  sampled_axis(const scale_attributes& a, std::int64_t original, std::int64_t result, float scale, float translation)
      : from(original), to(result), kind(a.kernel_type), inverse(static_cast<float>(1.0 / static_cast<double>(scale))),
        shift(-inverse * translation), kernel_scale(a.antialias ? std::max(inverse, 1.0f) : 1.0f) {}

  float place(std::int64_t i) const { return (static_cast<float>(i) + 0.5f) * inverse + shift; }
  std::int64_t pixel(float at) const {
    return at >= static_cast<float>(from) ? from - 1 : at > 0 ? inside(static_cast<std::int64_t>(at)) : 0;
  }
  std::int64_t inside(std::int64_t i) const { return std::min(i, from - 1); }

  // Returns the pixels that pixel i of the result depends on.
  pixel_span span(std::int64_t i) const {
    const float at = place(i), reach = kernel_radius(kind) * kernel_scale;
    if (!(at >= 0 && at <= static_cast<float>(from))) return {};
    return {pixel(std::ceil(at - reach - 0.5f)), pixel(std::floor(at + reach - 0.5f)) + 1};
  }
  float weight(std::int64_t i, std::int64_t source) const {
    const float distance = static_cast<float>(source) + 0.5f - place(i);
    return kernel_weight(kind, std::abs(distance * (1.0f / kernel_scale)));
  }
  // Returns the factor by which the weights of pixel i add up to 1; 0 if they are too small.
  float normalization(std::int64_t i) const {
    const pixel_span s = span(i);
    float sum = 0;
    for (std::int64_t k = s.begin; k < s.end; ++k) sum += weight(i, k);
    return std::abs(sum) >= 1000 * std::numeric_limits<float>::min() ? 1.0f / sum : 0.0f;
  }
};

// The source pixels of each pixel of the result, and their weights.
struct forward_spans {
  sampled_axis axis;
  std::int64_t sources() const { return axis.from; }
  std::int64_t results() const { return axis.to; }

  // Returns the source pixels of pixel i, and writes their weights.
  pixel_span find(std::int64_t i, float* weights) const {
    const pixel_span s = axis.span(i);
    float sum = 0;
    for (std::int64_t k = s.begin; k < s.end; ++k) sum += weights[k - s.begin] = axis.weight(i, k);
    const float factor = std::abs(sum) >= 1000 * std::numeric_limits<float>::min() ? 1.0f / sum : 0.0f;
    for (std::int64_t k = s.begin; k < s.end; ++k) weights[k - s.begin] = factor == 0 ? 0 : weights[k - s.begin] * factor;
    return s;
  }
};

// The pixels of the result that depend on each pixel of the original images, and their weights.
struct backward_spans {
  sampled_axis axis;
  const float* factors;  // the normalization of each pixel of the result
  std::int64_t sources() const { return axis.to; }
  std::int64_t results() const { return axis.from; }

  pixel_span find(std::int64_t pixel, float* weights) const {
    const std::int64_t low = first_that(axis.to, [&](std::int64_t i) { return !(axis.place(i) < 0); });
    const std::int64_t high =
        first_that(axis.to, [&](std::int64_t i) { return !(axis.place(i) <= static_cast<float>(axis.from)); });
    if (low >= high) return {};
    const auto within = [&](std::int64_t i) { return axis.span(i).end > pixel; };
    const std::int64_t begin = low + first_that(high - low, [&](std::int64_t i) { return within(low + i); });
    std::int64_t end = begin;
    for (; end < high && axis.span(end).begin <= pixel; ++end)
      weights[end - begin] = factors[end] == 0 ? 0 : axis.weight(end, pixel) * factors[end];
    return {begin, end};
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
