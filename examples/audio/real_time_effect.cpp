// An audio effect: the editor's thread plans and warms a step, the audio thread runs it. It allocates nothing there; an error is silence.
//
//     block {1, n, 1} ──┬──> Concat ──> Conv1D ──> Tanh ──> Conv1D ──> sound {1, n, 1}
//     past {1, 8, 1} ───┘       └─────> the last 8 samples ──> Assign past

#include "../shared/allocations.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/nn/convolution_1d.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

namespace fg = flowgraph;

constexpr std::int64_t taps = 9;

class effect {
public:
  // Allocates and may raise an error: call it on the editor's thread. At most eight sizes.
  explicit effect(std::span<const std::size_t> block_sizes) : step_(prepare()) {
    for (const std::size_t n : block_sizes) blocks_.emplace_back(fg::shape{1, static_cast<std::int64_t>(n), 1});
    for (int i = 0; i < 2; ++i)  // makes a layout for each size; silence does not change the past
      for (const auto& silence : blocks_) step_(silence);
  }
  // For the audio thread: does not allocate, lock or make system calls. Returns false if the output is silence.
  bool process(std::span<const float> in, std::span<float> out) noexcept {
    std::fill(out.begin(), out.end(), 0.f);
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& b) { return b.size() == in.size(); });
    if (block == blocks_.end()) return false;  // the step would lay out a new size here, which allocates
    std::copy(in.begin(), in.end(), block->writable().begin());
    const auto sound = step_.try_run({}, *block);
    if (!sound) return false;
    std::copy(sound->begin(), sound->end(), out.begin());
    return true;
  }

private:
  using step = fg::step<fg::feed_list<float>, fg::fetch_list<float>>;
  step prepare() {
    graph_.set_seed(1);
    auto block = graph_.placeholder<float>("block", {1, fg::any, 1});
    auto past = graph_.variable("past", fg::zeros<float>({1, taps - 1, 1}));
    auto inner = graph_.variable("inner", fg::glorot_uniform<float>({taps, 1, 8}));
    auto outer = graph_.variable("outer", fg::glorot_uniform<float>({1, 8, 1}));
    auto joined = fg::concat({past, block}, 1);
    auto sound = fg::conv1d(fg::tanh(fg::conv1d(joined, inner, {.padding = fg::padding_1d::valid})), outer);
    auto keep = fg::assign(past, fg::strided_slice(joined, {fg::slice_spec::all(), fg::slice_spec::from(1 - taps)}));
    session_.initialize();
    return session_.prepare(fg::feed(block), fg::fetch(sound), keep);
  }
  fg::graph graph_;
  fg::session session_{graph_};
  step step_;
  std::vector<fg::tensor<float>> blocks_;
};

int main() {
  const std::vector<std::size_t> sizes{64, 256, 30}, all{35'000};
  effect streamed(sizes), whole(all);
  std::vector<float> in(35'000), parts(in.size()), expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(0.05f * static_cast<float>(i));
  int during = 0, blocks = 0, silent = 0;
  std::thread audio([&] {
    const int before = allocations;
    for (std::size_t at = 0, n = 0; at < in.size(); at += n, ++blocks) {
      n = sizes[static_cast<std::size_t>(blocks % 3)];
      silent += !streamed.process({&in[at], n}, {&parts[at], n});
    }
    during = allocations - before;
  });
  audio.join();
  const bool right = whole.process(in, expected) && parts == expected;
  std::printf("%d blocks of 64, 256 and 30 samples: %d allocations, %d silent, %s\n", blocks, during, silent,
              right ? "equal to one block to the bit" : "NOT equal to one block");
  return during == 0 && silent == 0 && right && !streamed.process({&in[0], 100}, {&parts[0], 100}) ? 0 : 1;
}
