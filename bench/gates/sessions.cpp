// Makes and destroys 1,000 sessions that train, and prints by how many KB the process has grown since the tenth.

#include "../models.hpp"

#include <unistd.h>

#include <cstdio>

namespace {

namespace fg = flowgraph;

long resident_kb() {
  long pages = 0, resident = 0;
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  if (!f) return -1;
  const int read = std::fscanf(f, "%ld %ld", &pages, &resident);
  std::fclose(f);
  return read == 2 ? resident * (sysconf(_SC_PAGESIZE) / 1024) : -1;
}

void train_ten_steps(const fg::tensor<float>& images, const fg::tensor<std::int64_t>& labels) {
  const auto c = bench::mlp(images.shape(), labels.shape());
  const fg::target update = fg::momentum{.rate = 0.01f, .momentum = 0.9f}.minimize(c.loss);
  fg::session s{c.g};
  s.initialize();
  auto step = s.prepare(fg::feed(c.x, c.labels), fg::fetch(c.loss), update);
  for (int i = 0; i < 10; ++i) step(images, labels);
}

}  // namespace

int main() {
  const auto images = bench::fill(700, {bench::batch, 784});
  const auto labels = bench::batch_labels();
  for (int i = 0; i < 10; ++i) train_ten_steps(images, labels);
  const long before = resident_kb();
  for (int i = 10; i < 1000; ++i) train_ten_steps(images, labels);
  const long after = resident_kb();
  if (before < 0 || after < 0) return 1;
  std::printf("before_kb %ld\ngrown_kb %ld\n", before, after - before);
}
