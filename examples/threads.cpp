// Threads: one session serves any number of them, and one run uses as many as its pool has. The results are the same to the bit.
//
//     x ──> MatMul ──> Tanh ──> Mean ──> y        x ──┬─> MatMul ──> ...   branches overlap, and large kernels are
//             ^                                       └─> MatMul ──> ...   cut into blocks by their size alone
//             w

#include <flowgraph/flowgraph.hpp>

#include <cstdio>
#include <thread>
#include <vector>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 256});
  auto left = g.variable("left", fg::glorot_uniform<float>({256, 256}));
  auto right = g.variable("right", fg::glorot_uniform<float>({256, 256}));
  auto y = fg::mean(fg::tanh(fg::matmul(x, left)) * fg::tanh(fg::matmul(x, right)));

  fg::tensor<float> input({128, 256});
  for (std::size_t i = 0; i < input.size(); ++i) input.writable()[i] = static_cast<float>(i % 17) / 17;

  // The program creates the pool once and passes it to any session. A session without a pool uses only the calling thread.
  fg::thread_pool pool(4);
  fg::container weights;
  fg::session alone{g, {.resources = &weights}};
  fg::session pooled{g, {.pool = &pool, .resources = &weights}};
  alone.initialize();

  const float expected = alone.run(fg::fetch(y), {{x, input}}).scalar();
  const float parallel = pooled.run(fg::fetch(y), {{x, input}}).scalar();

  std::vector<float> results(8);
  std::vector<std::thread> clients;
  for (float& result : results) clients.emplace_back([&] { result = alone.run(fg::fetch(y), {{x, input}}).scalar(); });
  for (std::thread& client : clients) client.join();

  bool equal = parallel == expected;
  for (const float result : results) equal = equal && result == expected;
  std::printf("alone %.9g, with a pool of %d %.9g, ", expected, pool.size(), parallel);
  std::printf("from 8 threads at once: %s\n", equal ? "equal" : "different");
  return equal ? 0 : 1;
}
