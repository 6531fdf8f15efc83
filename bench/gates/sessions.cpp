// Makes and destroys 1,000 sessions that train, and prints by how many KB the process has grown since the first ones.

#include "../models.hpp"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>

namespace {

namespace fg = flowgraph;

// Without what the heap keeps for later: it gives memory back when it likes to.
long resident_kb() {
  malloc_trim(0);
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

// The least that stays after one of 20 sessions.
long least_resident_kb(const fg::tensor<float>& images, const fg::tensor<std::int64_t>& labels) {
  long least = -1;
  for (int i = 0; i < 20; ++i) {
    train_ten_steps(images, labels);
    const long now = resident_kb();
    if (least < 0 || now < least) least = now;
  }
  return least;
}

}  // namespace

int main() {
  const auto images = bench::fill(700, {bench::batch, 784});
  const auto labels = bench::batch_labels();
  const long before = least_resident_kb(images, labels);
  for (int i = 0; i < 960; ++i) train_ten_steps(images, labels);
  const long after = least_resident_kb(images, labels);
  if (before < 0 || after < 0) return 1;
  std::printf("before_kb %ld\ngrown_kb %ld\n", before, after - before);
}
