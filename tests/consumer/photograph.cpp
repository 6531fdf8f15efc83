// The consumer's picture: written as a JPEG file, and read again.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/image/jpeg.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto picture = g.constant(fg::tensor<std::uint8_t>({8, 8, 1}));
  auto again = fg::decode_jpeg(fg::encode_jpeg(picture));
  fg::session s{g};
  const auto found = s.run(fg::fetch(again));
  std::printf("%d\n", static_cast<int>(found.data()[0]));
  return found.shape() == fg::shape{8, 8, 1} && found.data()[0] == 0 ? 0 : 1;
}
