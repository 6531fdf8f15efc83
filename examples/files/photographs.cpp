// JPEG files are decoded, resized and classified by a small model. The photographs are drawn and encoded by this program.
//
//     bytes ─> DecodeJpeg ─> ResizeBilinear ─> 6x6x3 ─> MatMul ─> scores of day, sunset and forest

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/image/jpeg.hpp>
#include <flowgraph/ops/image/resize.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace fg = flowgraph;

// A landscape: the sky above a soft horizon, the ground below, and noise.
fg::tensor<std::uint8_t> landscape(int kind, std::mt19937& random) {
  static constexpr float sky[3][3] = {{120, 170, 230}, {230, 120, 60}, {90, 120, 90}};
  static constexpr float ground[3][3] = {{110, 140, 60}, {70, 40, 50}, {30, 80, 30}};
  std::uniform_real_distribution<float> draw(-1, 1);
  const std::size_t height = 60 + random() % 20, width = 80 + random() % 30;
  const float horizon = static_cast<float>(height) * (0.5f + 0.2f * draw(random)), light = 1 + 0.2f * draw(random);
  fg::tensor<std::uint8_t> made({height, width, 3});
  auto pixels = made.writable();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const float row = static_cast<float>(i / (3 * width)), part = 1 / (1 + std::exp((horizon - row) / 4));
    const float color = sky[kind][i % 3] * (1 - part) + ground[kind][i % 3] * part;
    pixels[i] = static_cast<std::uint8_t>(std::clamp(color * light + 25 * draw(random), 0.0f, 255.0f));
  }
  return made;
}

int main() {
  fg::graph g;
  g.set_seed(1);
  auto photograph = g.placeholder<std::uint8_t>("photograph", {fg::any, fg::any, 3});
  auto file = fg::encode_jpeg(photograph, {.quality = 85});

  auto bytes = g.placeholder<std::string>("bytes", {});
  auto decoded = fg::expand_dims(fg::decode_jpeg(bytes, {.channels = 3}), 0);
  auto features = fg::reshape(fg::resize(decoded, {6, 6}) / 255.0f, {1, 108});

  auto rows = g.placeholder<float>("rows", {fg::any, 108});
  auto labels = g.placeholder<std::int32_t>("labels", {fg::any});
  auto w = g.variable("w", fg::zeros<float>({108, 3})), b = g.variable("b", fg::zeros<float>({3}));
  auto scores = fg::matmul(rows, w) + b;
  auto train = fg::adam{.rate = 0.02f}.minimize(fg::mean(fg::sparse_softmax_cross_entropy(scores, labels)));
  auto found = fg::argmax<std::int32_t>(fg::matmul(features, w) + b, 1);

  fg::session s{g};
  s.initialize();
  std::mt19937 random(1);
  auto encode = s.prepare(fg::feed(photograph), fg::fetch(file));
  auto reduce = s.prepare(fg::feed(bytes), fg::fetch(features));
  fg::tensor<float> x({30, 108});
  fg::tensor<std::int32_t> kinds({30});
  for (std::size_t i = 0; i < 30; ++i) {
    kinds.writable()[i] = static_cast<std::int32_t>(i % 3);
    const auto& reduced = reduce(encode(landscape(static_cast<int>(i % 3), random)));
    std::copy(reduced.begin(), reduced.end(), x.writable().begin() + static_cast<std::ptrdiff_t>(i * 108));
  }
  for (int step = 0; step < 60; ++step) s.run(train, {{rows, x}, {labels, kinds}});

  int right = 0;
  std::size_t size = 0;
  for (int i = 0; i < 60; ++i) {
    const fg::tensor<std::string> jpeg = encode(landscape(i % 3, random));
    size += jpeg[0].size();
    right += s.run(fg::fetch(found), {{bytes, jpeg}})[0] == i % 3 ? 1 : 0;
  }
  std::printf("%d of 60 photographs are recognized; their files have %zu bytes on average\n", right, size / 60);
  return right >= 57 ? 0 : 1;
}
