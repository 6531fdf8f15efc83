// Images: a photograph-sized JPEG file is decoded, and batches are resized and recolored. The peer is bench/peers/tensorflow_ops.py.

#include "op_step.hpp"
#include "values.hpp"

#include <flowgraph/ops/image/adjust_color.hpp>
#include <flowgraph/ops/image/jpeg.hpp>
#include <flowgraph/ops/image/resize_area.hpp>
#include <flowgraph/ops/image/resize_bicubic.hpp>
#include <flowgraph/ops/image/resize_bilinear.hpp>
#include <flowgraph/ops/image/resize_nearest.hpp>

#include <cstdio>

namespace bench {

namespace {

constexpr std::int64_t batch = 8, side = 224, smaller = 96, larger = 448;

// Slopes of three colors under some noise, as a file of quality 95.
fg::tensor<std::string> photograph() {
  constexpr std::int64_t rows = 1080, columns = 1920;
  const fg::tensor<std::int64_t> noise = ints(703, {rows, columns, 3}, 16);
  fg::tensor<std::uint8_t> pixels({rows, columns, 3});
  for (std::int64_t i = 0; i < rows * columns * 3; ++i) {
    const std::int64_t color = i % 3, column = i / 3 % columns, row = i / 3 / columns;
    const std::int64_t slope = (row * (color + 1) + column * 2) / 8 + 64 * color;
    const auto at = static_cast<std::size_t>(i);
    pixels.writable()[at] = static_cast<std::uint8_t>(slope % 240 + noise.data()[at]);
  }
  fg::graph g;
  fg::session s{g};
  return s.run(fg::fetch(fg::encode_jpeg(g.constant(pixels))));
}

void decode(const options& o, std::string_view name) {
#ifdef FLOWGRAPH_BENCH_IMAGES
  fg::graph g;
  const auto contents = g.placeholder<std::string>("contents", {});
  time_op(o, name, g, fg::decode_jpeg(contents), std::tuple{contents}, photograph());
#else
  static_cast<void>(o);
  static_cast<void>(&photograph);
  std::fprintf(stderr, "%s: this build has no flowgraph::images\n", std::string(name).c_str());
#endif
}

fg::tensor<float> images() {
  fg::tensor<float> made = fill(700, {batch, side, side, 3}, 0.5);
  for (float& e : made.writable()) e += 0.5f;
  return made;
}
template <class F> void on_images(const options& o, std::string_view name, F f) {
  const fg::tensor<float> value = images();
  fg::graph g;
  const auto x = g.placeholder<float>("x", value.shape());
  time_op(o, name, g, f(x), std::tuple{x}, value);
}
fg::shape size_of(std::string_view work) {
  return work.ends_with("_smaller") ? fg::shape{smaller, smaller} : fg::shape{larger, larger};
}

void bilinear(const options& o, std::string_view name) {
  on_images(o, name, [&](fg::out<float> x) { return fg::resize_bilinear(x, size_of(name), {.half_pixel_centers = true}); });
}
void bicubic(const options& o, std::string_view name) {
  on_images(o, name, [&](fg::out<float> x) { return fg::resize_bicubic(x, size_of(name), {.half_pixel_centers = true}); });
}
void area(const options& o, std::string_view name) {
  on_images(o, name, [&](fg::out<float> x) { return fg::resize_area(x, size_of(name)); });
}
void nearest(const options& o, std::string_view name) {
  on_images(o, name,
            [&](fg::out<float> x) { return fg::resize_nearest_neighbor(x, size_of(name), {.half_pixel_centers = true}); });
}
template <class F> void on_colors(const options& o, std::string_view name, float amount, F f) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", images().shape());
  time_op(o, name, g, f(x, g.constant(amount)), std::tuple{x}, images());
}
void hue(const options& o, std::string_view name) {
  on_colors(o, name, 0.1f, [](fg::out<float> x, fg::out<float> delta) { return fg::adjust_hue(x, delta); });
}
void saturation(const options& o, std::string_view name) {
  on_colors(o, name, 1.5f, [](fg::out<float> x, fg::out<float> factor) { return fg::adjust_saturation(x, factor); });
}

#define BOTH_WAYS(name, run) \
  {name "_smaller", run}, { name "_larger", run }
constexpr work works[] = {
    {"op_decode_jpeg", decode},           BOTH_WAYS("op_resize_bilinear", bilinear), BOTH_WAYS("op_resize_bicubic", bicubic),
    BOTH_WAYS("op_resize_area", area),    BOTH_WAYS("op_resize_nearest", nearest),   {"op_adjust_hue", hue},
    {"op_adjust_saturation", saturation},
};
#undef BOTH_WAYS

}  // namespace

std::span<const work> image_works() { return works; }

}  // namespace bench
