// Weights that change under a running audio callback: a set of variables is swapped as one, by a thread that may take its time.
//
//     x ──> Mul ──> Add ──> Tanh ──> Mul ──> y        the callback's thread: step(x)
//            ^       ^                ^
//          drive    bias            level             another thread: weights.swap(...)

#include <flowgraph/flowgraph.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

namespace fg = flowgraph;

constexpr std::size_t block_size = 64;

// Settings that belong together. Any other mix of their parts makes another sound.
struct settings {
  float drive, bias, level;
  float of(float x) const { return std::tanh(x * drive + bias) * level; }
};
constexpr settings clean{1.f, 0.f, 1.f}, crunch{8.f, 0.25f, 0.5f};

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {block_size});
  auto drive = g.variable("drive", fg::tensor<float>(clean.drive));
  auto bias = g.variable("bias", fg::tensor<float>(clean.bias));
  auto level = g.variable("level", fg::tensor<float>(clean.level));
  auto y = fg::tanh(x * drive + bias) * level;

  fg::session s{g};
  s.initialize();
  fg::variable_set weights = s.make_set("weights", drive, bias, level);
  auto step = s.prepare(fg::feed(x), fg::fetch(y));

  // The editor's thread: in place, into the memory of a version that no step reads any more.
  std::atomic<bool> plays = true;
  std::atomic<int> swaps = 0;
  std::thread editor([&] {
    for (; plays; ++swaps) {
      const settings& next = swaps % 2 == 0 ? crunch : clean;
      weights.swap([&](fg::staged_set& set) {
        set.write<float>(0)[0] = next.drive;
        set.write<float>(1)[0] = next.bias;
        set.write<float>(2)[0] = next.level;
      });
    }
  });

  // The callback's thread: each step takes the set once, without waiting, and sees all of it or none.
  fg::tensor<float> input({block_size});
  for (float& f : input.writable()) f = 0.3f;
  int heard[2] = {0, 0}, torn = 0;
  for (int i = 0; i < 20000 || (swaps < 100 && i < 10000000); ++i) {
    const float out = step(input)[block_size - 1];
    const bool is_clean = std::abs(out - clean.of(0.3f)) < 1e-5f, is_crunch = std::abs(out - crunch.of(0.3f)) < 1e-5f;
    ++(is_clean ? heard[0] : is_crunch ? heard[1] : torn);
  }
  plays = false;
  editor.join();
  std::printf("%d swaps; %d steps heard the clean sound, %d crunch, %d a mix\n", swaps.load(), heard[0], heard[1], torn);

  // A variable of a set is not written to by itself.
  const auto refused = s.try_run(fg::assign(drive, g.constant(2.f)).source);
  if (!refused) std::printf("refused: %s\n", std::string(refused.error().message()).c_str());
  return torn == 0 && heard[0] + heard[1] > 0 && !refused ? 0 : 1;
}
