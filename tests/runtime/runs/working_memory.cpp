// The working memory of prepared steps, compared with the largest set of tensors that are alive at the same time.

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace fg = flowgraph;

namespace {

// Checks that the working memory is at most a tenth larger than the largest live set. Copies that kernels pack count in both.
void check_memory(const std::string& name, const fg::step_report& plan) {
  REQUIRE(plan.live_bytes);
  const double ratio = static_cast<double>(plan.arena_bytes) / static_cast<double>(*plan.live_bytes);
  MESSAGE(name << ": " << plan.buffers << " buffers, " << plan.arena_bytes << " bytes, " << ratio << " of the largest live set");
  CHECK(*plan.live_bytes > 0);
  CHECK(ratio >= 1);
  CHECK(ratio <= 1.1);
}

struct network {
  fg::graph g;
  fg::out<float> weights(const fg::shape& s) { return g.variable("w", fg::tensor<float>(s)); }
  fg::out<float> dense(const fg::out<float>& x, std::int64_t inputs, std::int64_t outputs) {
    return fg::bias_add(fg::matmul(x, weights({inputs, outputs})), weights({outputs}));
  }
  fg::out<float> conv(const fg::out<float>& x, std::int64_t window, std::int64_t channels, std::int64_t filters,
                      std::int64_t stride = 1) {
    return fg::conv2d(x, weights({window, window, channels, filters}), {.strides = {stride, stride}});
  }
  void check_training(const std::string& name, const fg::out<float>& x, const fg::out<std::int64_t>& labels,
                      const fg::out<float>& logits) {
    [[maybe_unused]] const auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, labels));
#ifndef FLOWGRAPH_INFERENCE  // has no gradients
    const fg::target update = fg::momentum{.rate = 0.01f, .momentum = 0.9f}.minimize(loss);
#endif
    fg::session s{g};
    s.initialize();
#ifndef FLOWGRAPH_INFERENCE
    check_memory(name, s.prepare(fg::feed(x, labels), fg::fetch(loss), update).plan());
#endif
    check_memory(name + ", forward", s.prepare(fg::feed(x), fg::fetch(logits)).plan());
  }
};

}  // namespace

TEST_CASE("working memory: dense layers in training") {
  network n;
  const auto x = n.g.placeholder<float>("x", {64, 784});
  const auto labels = n.g.placeholder<std::int64_t>("labels", {64});
  const auto y = fg::relu(n.dense(fg::relu(n.dense(x, 784, 512)), 512, 256));
  n.check_training("dense", x, labels, n.dense(y, 256, 10));
}

TEST_CASE("working memory: convolutions in training") {
  network n;
  const auto x = n.g.placeholder<float>("x", {16, 28, 28, 1});
  const auto labels = n.g.placeholder<std::int64_t>("labels", {16});
  auto y = fg::max_pool(fg::relu(n.conv(x, 5, 1, 32)));
  y = fg::max_pool(fg::relu(n.conv(y, 5, 32, 64)));
  y = fg::relu(n.dense(fg::reshape(y, {-1, 7 * 7 * 64}), 7 * 7 * 64, 256));
  n.check_training("convolutions", x, labels, n.dense(y, 256, 10));
}

TEST_CASE("working memory: a residual network in training") {
  network n;
  const auto x = n.g.placeholder<float>("x", {2, 64, 64, 3});
  const auto labels = n.g.placeholder<std::int64_t>("labels", {2});
  auto y = fg::relu(n.conv(x, 7, 3, 16, 2));
  std::int64_t channels = 16;
  for (const std::int64_t inner : {8, 16, 32})
    for (int block = 0; block < 3; ++block) {
      const std::int64_t stride = block == 0 && inner > 8 ? 2 : 1;
      const auto made =
          n.conv(fg::relu(n.conv(fg::relu(n.conv(y, 1, channels, inner)), 3, inner, inner, stride)), 1, inner, 4 * inner);
      y = fg::relu(made + (block == 0 ? n.conv(y, 1, channels, 4 * inner, stride) : y));
      channels = 4 * inner;
    }
  n.check_training("residual", x, labels, n.dense(fg::mean(y, {1, 2}), channels, 10));
}

TEST_CASE("working memory: a recurrent network in training, written out") {
  constexpr std::int64_t units = 48, batch = 8;
  network n;
  const auto x = n.g.placeholder<float>("x", {batch, 12 * 20});
  const auto labels = n.g.placeholder<std::int64_t>("labels", {batch});
  const auto inputs = fg::split(x, 12, 1);
  const auto kernel = n.weights({20 + units, 4 * units}), bias = n.weights({4 * units});
  auto h = n.g.constant(fg::tensor<float>(fg::shape{batch, units})), c = h;
  for (const auto& input : inputs) {
    const auto gates = fg::split(fg::bias_add(fg::matmul(fg::concat({input, h}, 1), kernel), bias), 4, 1);
    c = fg::sigmoid(gates[1]) * c + fg::sigmoid(gates[0]) * fg::tanh(gates[2]);
    h = fg::sigmoid(gates[3]) * fg::tanh(c);
  }
  n.check_training("recurrent", x, labels, n.dense(h, units, 10));
}

TEST_CASE("working memory: random graphs of values of different sizes") {
  std::mt19937 random(11);
  for (int round = 0; round < 10; ++round) {
    network n;
    const auto x = n.g.placeholder<float>("x", {64, 64});
    std::vector<std::pair<fg::out<float>, std::int64_t>> all{{x, 64}};  // with their columns
    const auto any = [&]() -> const std::pair<fg::out<float>, std::int64_t>& {
      const std::size_t recent = std::min<std::size_t>(all.size(), random() % 4 ? 4 : 30);
      return all[all.size() - 1 - random() % recent];
    };
    for (int i = 0; i < 120; ++i) {
      const auto [a, columns] = any();
      switch (random() % 4) {
        case 0: all.emplace_back(fg::tanh(a), columns); break;
        case 1: {
          const std::int64_t wanted = 1 + static_cast<std::int64_t>(random() % 200);
          all.emplace_back(fg::matmul(a, n.weights({columns, wanted})), wanted);
          break;
        }
        case 2: all.emplace_back(fg::sum(a, 1, true), 1); break;
        default: {
          const auto [b, others] = any();
          if (columns + others > 400) all.emplace_back(fg::exp(b), others);
          else all.emplace_back(fg::concat({a, b}, 1), columns + others);
        }
      }
    }
    fg::out<float> total = n.g.constant(0.f);
    for (const auto& [value, columns] : all) total = total + fg::sum(value);
    fg::session s{n.g};
    s.initialize();
    check_memory("random " + std::to_string(round), s.prepare(fg::feed(x), fg::fetch(total)).plan());
  }
}
