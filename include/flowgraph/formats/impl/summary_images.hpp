#pragma once
// The conversion of images of real numbers to bytes.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/formats/png.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns an error if a tensor is not a batch of images. `colors` is the number of channels of the colour of bad pixels.
inline error check_images(const any_tensor& images, std::size_t colors) {
  const auto& s = images.shape();
  const bool is_type_right = images.type() == dtype::uint8 || images.type() == dtype::float32 ||
                             images.type() == dtype::float64 || images.type() == dtype::float16;
  if (!is_type_right || s.rank != 4 || (s[3] != 1 && s[3] != 3 && s[3] != 4))
    return error(
        error_code::invalid_argument,
        message{"expected images {batch, height, width, 1, 3 or 4} of bytes or reals, found ", name_of(images.type()), s});
  if (s[0] > 0 && (s[1] == 0 || s[2] == 0)) return invalid_argument({"an image must have pixels, found ", s});
  if (images.type() != dtype::uint8 && colors < static_cast<std::size_t>(s[3]))
    return invalid_argument({"the colour of bad pixels must have ", s[3], " channels, found ", colors});
  return {};
}

template <class T> bool is_finite(T x) {
  if constexpr (std::is_same_v<T, half>) return std::isfinite(static_cast<float>(x));
  else return std::isfinite(x);
}

// The linear function that maps values to 0 .. 255. The largest magnitude determines the scale; if a value is negative, 0 maps to
// 128. The arithmetic is that of the element type, with each step rounded, as in TensorFlow.
template <class T> struct brightness {
  T scale, offset;

  // Returns 0 if the scale of small halves is infinite, as TensorFlow does on x86.
  std::uint8_t of(T x) const {
    const T scaled = T(x * scale), moved = T(scaled + offset);
    const auto value = static_cast<double>(moved);
    return std::isfinite(value) ? static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)) : std::uint8_t{0};
  }
};
template <class T> brightness<T> brightness_for(float least, float most) {
  constexpr float dark = 1e-6f;
  if (least < 0) {
    const float size = std::max(std::abs(least), std::abs(most));
    return {T(size < dark ? 0.0f : 127.0f / size), T(128.0f)};
  }
  return {T(most < dark ? 0.0f : 255.0f / most), T(0.0f)};
}

// Converts an image. A pixel that is not finite in a channel gets the bad colour, and does not influence the scale.
template <class T>
std::vector<std::uint8_t> bytes_of_image(std::span<const T> image, std::size_t channels, std::span<const std::uint8_t> bad) {
  const auto is_good = [&](std::size_t at) {
    return std::all_of(image.begin() + static_cast<std::ptrdiff_t>(at),
                       image.begin() + static_cast<std::ptrdiff_t>(at + channels), [](T x) { return is_finite(x); });
  };
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (std::size_t at = 0; at < image.size(); at += channels) {
    if (!is_good(at)) continue;
    for (std::size_t c = 0; c < channels; ++c) {
      const auto x = static_cast<float>(image[at + c]);
      least = std::min(least, x);
      most = std::max(most, x);
    }
  }
  const auto line = brightness_for<T>(least, most);
  std::vector<std::uint8_t> result(image.size());
  for (std::size_t at = 0; at < image.size(); at += channels) {
    const bool good = is_good(at);
    for (std::size_t c = 0; c < channels; ++c) result[at + c] = good ? line.of(image[at + c]) : bad[c];
  }
  return result;
}

// Returns the pixels of image `i` of a batch that check_images accepted.
inline std::vector<std::uint8_t> pixels_of(const any_tensor& images, std::int64_t i, std::span<const std::uint8_t> bad) {
  const auto& s = images.shape();
  const auto size = static_cast<std::size_t>(s[1] * s[2] * s[3]), from = static_cast<std::size_t>(i) * size;
  const auto channels = static_cast<std::size_t>(s[3]);
  const auto of = [&]<class T>() { return bytes_of_image<T>({images.as<T>().data() + from, size}, channels, bad); };
  switch (images.type()) {
    case dtype::float32: return of.template operator()<float>();
    case dtype::float64: return of.template operator()<double>();
    case dtype::float16: return of.template operator()<half>();
    default: break;
  }
  const auto* bytes = images.as<std::uint8_t>().data() + from;
  return {bytes, bytes + size};
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
