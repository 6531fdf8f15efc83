// Training on a second kind of device, whose kernels are not those of the CPU: the steps use products, rows by index, random numbers, a
// loop, gradients and Adam.
#include "../harness/plain_device/kernels.hpp"

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace fg = flowgraph;

namespace {

fg::tensor<float> wave_of(const fg::shape& s) {
  fg::tensor<float> made(s);
  for (std::size_t i = 0; i < made.size(); ++i) made.writable()[i] = 0.1f * static_cast<float>(i % 13) - 0.5f;
  return made;
}

struct gathered_model {
  fg::graph g;
  fg::out<std::int32_t> rows = g.placeholder<std::int32_t>("rows", {fg::any});
  fg::variable<float> table = g.variable("table", wave_of({7, 5}));
  fg::variable<float> weights = g.variable("weights", wave_of({5, 3}));
  fg::out<float> noise = fg::random_uniform<float>(g, fg::shape{4, 3}, {.seed = 17}) * 0.01f;
  fg::out<float> hidden = fg::tanh(fg::matmul(fg::gather(table, rows), weights) + noise);
  fg::out<float> grown = fg::while_loop(
      hidden, [](fg::out<float> x) { return fg::less(fg::sum(fg::square(x)), 50.f); },
      [](fg::out<float> x) { return x * 1.5f + 0.25f; });
  fg::out<float> loss = fg::sum(fg::square(grown - 0.5f));
  fg::target train = fg::adam(0.01f).minimize(loss, weights);

  std::vector<float> losses(const fg::session_options& options, bool is_prepared) {
    fg::session s{g, options};
    s.initialize();
    const fg::tensor<std::int32_t> picked({4}, {6, 0, 3, 3});
    auto step = s.prepare(fg::feed(rows), fg::fetch(loss), train);
    std::vector<float> made;
    for (int i = 0; i < 10; ++i)
      made.push_back(is_prepared ? step(picked).scalar() : s.run(fg::fetch(loss), train, {{rows, picked}}).scalar());
    return made;
  }
};

}  // namespace

TEST_CASE("device_kernels: a device with kernels of its own trains as the CPU does") {
  gathered_model m;
  const std::vector<float> expected = m.losses({}, false);
  CHECK(expected.back() != expected.front());
  for (const bool is_prepared : {false, true}) {
    CAPTURE(is_prepared);
    fg::device_list devices;
    devices.push_back(std::make_unique<plain::device>("plain:0", plain::make_kernels(true)));
    devices[0].set_priority(1);
    const std::vector<float> found = m.losses({.devices = devices}, is_prepared);
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));
    const auto calls = static_cast<const plain::device&>(devices[0]).calls();
    for (const char* op : {"MatMul", "GatherV2", "Tanh", "RandomUniform", "ApplyAdam", "Mul", "TanhGrad", "Less"}) {
      CAPTURE(std::string(op));
      CHECK(calls.contains(op));
    }
  }
}

TEST_CASE("device_kernels: an index outside of the rows is the error of the device's kernel, with node and line") {
  gathered_model m;
  fg::device_list devices;
  devices.push_back(std::make_unique<plain::device>("plain:0", plain::make_kernels(true)));
  devices[0].set_priority(1);
  fg::session s{m.g, {.devices = devices}};
  s.initialize();
  const auto failed = s.try_run(fg::fetch(m.hidden), {{m.rows, fg::tensor<std::int32_t>({2}, {0, 7})}});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == fg::error_code::invalid_argument);
  const std::string text = failed.error().what();
  CHECK(text.find("index 7 at position 1 is outside of [0, 7)") != std::string::npos);
  CHECK(text.find("GatherV2") != std::string::npos);
  CHECK(text.find("device_kernels.cpp") != std::string::npos);
}
