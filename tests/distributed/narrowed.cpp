// Float values that are sent between tasks as 16 bits.

#include "simulated_cluster.hpp"

#include <shared/digits.hpp>

#include <bit>
#include <cmath>

using namespace flowgraph_test;

namespace {

const fg::connect_options all_narrowed = {.narrowed = fg::narrowed_floats::all};

float upper_half(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffff0000u); }

// A value of task 1 is read at task 2, and fetched from there.
struct two_task_graph {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  fg::out<float> sent, read;

  two_task_graph() {
    {
      const auto on = g.on_device("/job:worker/task:1");
      sent = -x;
    }
    const auto on = g.on_device("/job:worker/task:2");
    read = -sent;
  }
};

}  // namespace

TEST_CASE("narrowed floats: between tasks the upper 16 bits travel, and half of the bytes") {
  constexpr std::size_t count = 10000;
  fg::tensor<float> x({count});
  for (std::size_t i = 0; i < count; ++i) x.writable()[i] = std::sin(static_cast<float>(i)) * 1e3f;
  std::uint64_t bytes[2] = {};
  for (const bool narrows : {false, true}) {
    simulated_cluster cluster(3);
    two_task_graph t;
    fg::session s{t.g, cluster.connect(0, narrows ? all_narrowed : fg::connect_options())};
    (void)s.run(fg::fetch(t.read), {{t.x, x}});
    const auto before = cluster.net.between("b", "c").bytes;
    const auto read = s.run(fg::fetch(t.read), {{t.x, x}});
    bytes[narrows] = cluster.net.between("b", "c").bytes - before;
    bool is_as_expected = true;
    for (std::size_t i = 0; i < count; ++i) is_as_expected = is_as_expected && read[i] == (narrows ? upper_half(x[i]) : x[i]);
    CHECK(is_as_expected);
    CHECK(s.run(fg::fetch(t.sent), {{t.x, x}})[1] == -x[1]);  // fetched values are sent unchanged
  }
  CHECK(bytes[0] >= 4 * count);
  CHECK(bytes[1] >= 2 * count);
  CHECK(static_cast<double>(bytes[1]) < 0.51 * static_cast<double>(bytes[0]));
}

TEST_CASE("narrowed floats: large ones alone, where the size is known") {
  simulated_cluster cluster(3);
  fg::graph g;
  fg::out<float> at_two[3];
  const auto x = g.placeholder<float>("x", {fg::any});
  {
    fg::out<float> sent[3];
    {
      const auto on = g.on_device("/job:worker/task:1");
      const auto first = fg::zeros<float>({100}), second = fg::zeros<float>({99});
      sent[0] = g.variable("large", first) + 1.001f;
      sent[1] = g.variable("small", second) + 1.001f;
      sent[2] = x + 1.001f;
    }
    const auto on = g.on_device("/job:worker/task:2");
    for (int i = 0; i < 3; ++i) at_two[i] = fg::identity(sent[i]) * 1.f;
  }
  fg::session s{g, cluster.connect(0, {.narrowed = fg::narrowed_floats::large, .large_from = 100})};
  s.initialize();
  const auto [large, small, unknown] = s.run(fg::fetch(at_two[0], at_two[1], at_two[2]), {{x, fg::tensor<float>({2}, {0, 0})}});
  CHECK(large[0] == upper_half(1.001f));
  CHECK(small[0] == 1.001f);
  CHECK(unknown[0] == 1.001f);
}

TEST_CASE("narrowed floats: dead values and loops over tasks") {
  simulated_cluster cluster(3);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto [rounds, value] = fg::while_loop(
      std::tuple{g.constant(0), x}, [&](fg::out<int> i, fg::out<float>) { return i < 5; },
      [&](fg::out<int> i, fg::out<float> v) {
        fg::out<float> there;
        {
          const auto on = g.on_device("/job:worker/task:1");
          there = v * 3.f;
        }
        return std::tuple(i + 1, there - v);
      });
  fg::session s{g, cluster.connect(0, all_narrowed)};
  CHECK(s.run(fg::fetch(value), {{x, 1.f}}).scalar() == 32);  // powers of two have few digits
}

TEST_CASE("narrowed floats: a training whose gradients are narrowed still learns") {
  simulated_cluster cluster(3);
  fg::graph g;
  fg::variable<float> w;
  {
    const auto on = g.on_device("/job:worker/task:1");
    w = g.variable("w", fg::zeros<float>({2, 1}));
  }
  const auto on = g.on_device("/job:worker/task:2");
  const auto x = g.placeholder<float>("x", {fg::any, 2}), y = g.placeholder<float>("y", {fg::any, 1});
  const auto error = fg::matmul(x, w) - y;
  const auto loss = fg::mean(error * error);
  const auto train = fg::sgd{.rate = 0.5f}.minimize(loss);
  fg::session s{g, cluster.connect(0, all_narrowed)};
  s.initialize();
  std::uint64_t seed = 7;
  for (int step = 0; step < 60; ++step) {
    fg::tensor<float> points({16, 2}), values({16, 1});
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t k = 0; k < 2; ++k)
        points.writable()[2 * i + k] = static_cast<float>((seed = seed * 48271 % 2147483647) % 1000) / 1000;
      values.writable()[i] = 3 * points(i, 0) - 2 * points(i, 1);
    }
    s.run(train, {{x, points}, {y, values}});
  }
  const auto learnt = s.run(fg::fetch(w));
  CHECK(std::abs(learnt[0] - 3) < 0.1f);
  CHECK(std::abs(learnt[1] + 2) < 0.1f);
}

#ifdef FLOWGRAPH_BY_NAME  // other tasks have few ops
TEST_CASE("narrowed floats: handwritten digits are learnt over two tasks, and 97 of 100 that were held out are read") {
  auto [training, held_out] = read_digits(FLOWGRAPH_TEST_DIGITS);
  REQUIRE(training.size() + held_out.size() == 1797);
  simulated_cluster cluster(3);
  fg::graph g;
  g.set_seed(1);
  fg::out<float> images, features;
  {
    const auto on = g.on_device(on_worker(1));
    images = g.placeholder<float>("images", {fg::any, 8, 8, 1});
    const auto w1 = g.variable("w1", fg::he_normal<float>({3, 3, 1, 16})), b1 = g.variable("b1", fg::zeros<float>({16}));
    const auto w2 = g.variable("w2", fg::he_normal<float>({3, 3, 16, 32})), b2 = g.variable("b2", fg::zeros<float>({32}));
    const auto pooled = fg::max_pool(fg::relu(fg::bias_add(fg::conv2d(images, w1), b1)));
    features = fg::reshape(fg::max_pool(fg::relu(fg::bias_add(fg::conv2d(pooled, w2), b2))), {-1, 128});
  }
  const auto on = g.on_device(on_worker(2));
  const auto labels = g.placeholder<std::int32_t>("labels", {fg::any});
  const auto w3 = g.variable("w3", fg::glorot_uniform<float>({128, 10})), b3 = g.variable("b3", fg::zeros<float>({10}));
  const auto logits = fg::matmul(features, w3) + b3;
  const auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, labels));
  const auto train = fg::adam{.rate = 2e-3f}.minimize(loss);
  const auto accuracy = fg::mean(fg::cast<float>(fg::equal(fg::argmax<std::int32_t>(logits, 1), labels)));

  constexpr std::size_t batch = 32, epochs = 15;
  fg::tensor<float> x({batch, 8, 8, 1}), test_x({static_cast<std::int64_t>(held_out.size()), 8, 8, 1});
  fg::tensor<std::int32_t> t({batch}), test_t({static_cast<std::int64_t>(held_out.size())});
  copy_batch(held_out, 0, test_x, test_t);
  std::array<std::uint64_t, 2> bytes{};  // of all steps: without and with narrowing
  for (const bool is_narrowed : {false, true}) {
    fg::session s{g, cluster.connect(0, is_narrowed ? all_narrowed : fg::connect_options{})};
    s.initialize();
    auto step = s.prepare(fg::feed(images, labels), fg::fetch(loss), train);
    std::mt19937 random(1);
    const auto before = cluster.net.between("b", "c").bytes + cluster.net.between("c", "b").bytes;
    for (std::size_t i = 0; i < epochs * (training.size() / batch); ++i) {
      const std::size_t at = i % (training.size() / batch);
      if (at == 0) shuffle(training, random);
      copy_batch(training, at * batch, x, t);
      step(x, t);
    }
    bytes[is_narrowed] = cluster.net.between("b", "c").bytes + cluster.net.between("c", "b").bytes - before;
    const float reached = s.run(fg::fetch(accuracy), {{images, test_x}, {labels, test_t}}).scalar();
    MESSAGE(std::string(is_narrowed ? "narrowed: " : "whole: "), reached, " of those held out, ", bytes[is_narrowed], " bytes");
    CHECK(reached >= (is_narrowed ? 0.97f : 0.96f));
  }
  CHECK(static_cast<double>(bytes[1]) < 0.52 * static_cast<double>(bytes[0]));
}
#endif
