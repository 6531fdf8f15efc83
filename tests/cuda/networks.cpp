// Kernels at sizes for which a GPU uses another method than for the samples: many elements in a scan, long rows, many random
// numbers, narrow rows. Also faults that kernels find before they change rows of a variable.

#include "emulation/devices.hpp"

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/nn/batch_norm.hpp>
#include <flowgraph/ops/nn/convolution_3d.hpp>
#include <flowgraph/ops/nn/pool_3d.hpp>
#include <flowgraph/ops/nn/top_k.hpp>
#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/ops/random/stateless.hpp>
#include <flowgraph/ops/reduction/scan.hpp>
#include <flowgraph/ops/state/scatter.hpp>
#include <flowgraph/ops/training/ftrl.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

namespace {

namespace fg = flowgraph;

fg::tensor<float> mixed_numbers(const fg::shape& s, float scale = 1) {
  fg::tensor<float> made(s);
  std::uint32_t at = 12345;
  for (float& e : made.writable()) {
    at = at * 1664525u + 1013904223u;
    e = scale * (static_cast<float>(at >> 16) / 32768.f - 1.f);
  }
  return made;
}

// Returns values that are not known before the run, so that no pass computes the nodes on the host.
template <class T> fg::out<T> given(fg::graph& g, const fg::tensor<T>& values) {
  static int number = 0;
  return g.variable<T>("given_" + std::to_string(++number), values);
}

// The answers of the CPU and of a GPU.
struct answers {
  std::vector<fg::any_tensor> here, there;
};
answers run_twice(const fg::graph& g, const std::vector<fg::any_out>& fetches, std::uint64_t seed) {
  answers made;
  {
    fg::session s{g};
    s.initialize();
    made.here = s.try_run({{}, fetches, {}}).value();
  }
  const emulation::emulated gpu = emulation::open(seed);
  fg::session s{g, {.devices = gpu.devices}};
  s.initialize();
  made.there = s.try_run({{}, fetches, {}}).value();
  CHECK(gpu.counts->launches > 0);
  return made;
}
bool have_same_bits(const fg::any_tensor& a, const fg::any_tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}
float largest_difference(const fg::any_tensor& a, const fg::any_tensor& b) {
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a.as<float>()[i] - b.as<float>()[i]));
  return most;
}

}  // namespace

TEST_CASE("a GPU scans long columns by blocks, in any direction") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    fg::graph g;
    const auto x = given(g, mixed_numbers({5000, 2}));
    fg::tensor<std::int32_t> counts({3, 4001});
    std::int32_t at = 7;
    for (std::int32_t& e : counts.writable()) e = at = at * 31 % 1009;
    const auto n = given(g, counts);
    const answers made = run_twice(g,
                                   {fg::cumsum(x), fg::cumsum(x, 0, true, true), fg::cumulative_logsumexp(x, 0, false, true),
                                    fg::cumsum(n, 1), fg::cumsum(n, 1, true), fg::cumprod(n, 1, false, true)},
                                   seed);
    for (std::size_t i = 0; i < 3; ++i) CHECK(largest_difference(made.here[i], made.there[i]) < 2e-4f);
    for (std::size_t i = 3; i < 6; ++i) CHECK(have_same_bits(made.here[i], made.there[i]));
  }
}

TEST_CASE("a GPU chooses the elements of windows that the CPU chooses, NaN among them") {
  fg::graph g;
  fg::tensor<float> x = mixed_numbers({2, 4, 6, 8, 3});
  for (std::size_t i = 0; i < x.size(); i += 5) x.writable()[i] = i % 2 == 0 ? std::nanf("") : -HUGE_VALF;
  const auto volumes = given(g, x), slopes = given(g, mixed_numbers({2, 4, 6, 8, 3}));
  const fg::pool_3d_attributes a = attributes_of(fg::pool_3d_options{.window = {1, 1, 2}, .strides = {1, 1, 2}});
  const auto largest = fg::max_pool3d(a, volumes);
  const auto images = given(g, fg::tensor<float>({8, 6, 8, 3}, std::vector<float>(x.begin(), x.end())));
  const auto image_slopes = given(g, mixed_numbers({8, 6, 8, 3}));
  const fg::pool_attributes b = attributes_of(fg::pool_options{.window = {1, 2}, .strides = {1, 2}});
  const answers made = run_twice(g,
                                 {largest, fg::max_pool3d_grad_grad(a, volumes, largest, slopes),
                                  fg::max_pool_grad_grad(b, images, fg::max_pool(b, images), image_slopes)},
                                 1);
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(have_same_bits(made.here[i], made.there[i]));
  }
}

TEST_CASE("a GPU orders long rows, with equal elements in the order of their numbers") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    fg::graph g;
    fg::tensor<float> x = mixed_numbers({3, 1500});
    for (float& e : x.writable()) e = std::round(e * 100) / 100;
    x.writable()[70] = std::nanf("");
    const auto rows = given(g, x);
    const auto some = fg::top_k(rows, g.constant(fg::tensor<std::int32_t>(17)));
    const auto all = fg::top_k<std::int64_t>(rows, g.constant(fg::tensor<std::int32_t>(1500)));
    const answers made = run_twice(g, {some.values, some.indices, all.indices}, seed);
    for (std::size_t i = 0; i < 3; ++i) CHECK(have_same_bits(made.here[i], made.there[i]));
  }
}

TEST_CASE("a GPU draws the random numbers of the CPU") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    fg::graph g;
    const auto dims = g.constant(fg::tensor<std::int32_t>({1}, {9001}));
    const auto key = g.constant(fg::tensor<std::int64_t>({2}, {5, -9}));
    const answers made =
        run_twice(g,
                  {fg::random_uniform<float>(g, fg::shape{9001}), fg::random_normal<float>(g, fg::shape{9001}),
                   fg::random_normal<fg::half>(g, fg::shape{9001}), fg::random_normal<double>(g, fg::shape{9001}),
                   fg::truncated_normal<float>(g, fg::shape{9001}), fg::stateless_random_normal<float>(dims, key),
                   fg::stateless_truncated_normal<double>(dims, key), fg::stateless_random_uniform<fg::bfloat16>(dims, key),
                   fg::random_uniform<std::int64_t>(g, fg::shape{9001}, fg::uniform_options<std::int64_t>{-3, 1000})},
                  seed);
    for (std::size_t i = 0; i < made.here.size(); ++i) {
      CAPTURE(i);
      CHECK(have_same_bits(made.here[i], made.there[i]));
    }
  }
}

TEST_CASE("a GPU normalizes batches with more elements than threads") {
  for (const bool training : {true, false}) {
    fg::graph g;
    const auto of_channels = [&](std::initializer_list<float> v) { return given(g, fg::tensor<float>({3}, v)); };
    const auto x = given(g, mixed_numbers({8, 10, 9, 3}, 4));
    const auto scale = of_channels({1, 2, -0.5f}), offset = of_channels({0, 1, 2});
    const auto mean = of_channels({0.1f, -0.2f, 0.3f}), variance = of_channels({1, 4, 2});
    fg::volume_batch_norm a;
    a.is_training = training;
    a.exponential_avg_factor = 0.25f;
    const auto made_by = fg::apply_as<float, float>({}, fg::fused_batch_norm_v3_op{a}, x, scale, offset, mean, variance);
    const auto dy = given(g, mixed_numbers({8, 10, 9, 3}, 2));
    const auto gradients = fg::apply_as<float, float>({}, fg::fused_batch_norm_grad_v3_op{{a.epsilon, a.data_format, training}},
                                                      dy, x, scale, mean, variance, std::get<5>(made_by));
    const answers made = run_twice(g,
                                   {std::get<0>(made_by), std::get<1>(made_by), std::get<2>(made_by), std::get<3>(made_by),
                                    std::get<4>(made_by), std::get<0>(gradients), std::get<1>(gradients), std::get<2>(gradients)},
                                   training ? 1 : 2);
    for (std::size_t i = 0; i < made.here.size(); ++i) {
      CAPTURE(i);
      CHECK(largest_difference(made.here[i], made.there[i]) < 1e-3f);  // the sums are up to some thousands
    }
    if (!training) CHECK(have_same_bits(made.here[0], made.there[0]));
  }
}

TEST_CASE("a GPU adds many narrow rows to a variable in the order of their indices") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    fg::graph g;
    const auto v = g.variable<float>("v", mixed_numbers({37, 2}));
    fg::tensor<std::int64_t> indices({3000});
    std::int64_t at = 1;
    for (std::int64_t& e : indices.writable()) e = (at = at * 48271 % 2147483647) % 37;
    const auto changed = fg::scatter_add(v, given(g, indices), given(g, mixed_numbers({3000, 2}, 1e3f)));
    const answers made = run_twice(g, {changed}, seed);
    CHECK(have_same_bits(made.here[0], made.there[0]));
  }
}

TEST_CASE("an optimizer for rows changes no variable after a bad index or a refused rate") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const emulation::emulated gpu = emulation::open(seed);
    fg::graph g;
    const auto v = g.variable<float>("v", mixed_numbers({5, 3}));
    const auto accum = g.variable<float>("accum", fg::tensor<float>({5, 3}, std::vector<float>(15, 0.1f)));
    const auto linear = g.variable<float>("linear", fg::tensor<float>({5, 3}));
    const auto at = g.placeholder<std::int32_t>("at", {2});
    const auto rate = g.placeholder<float>("rate", fg::shape{});
    const auto gradient = given(g, mixed_numbers({2, 3}, 2));
    const auto number = [&](float x) { return g.constant(fg::tensor<float>(x)); };
    const auto step = fg::apply(fg::site{}, fg::sparse_apply_ftrl_op{}, v, accum, linear, gradient, at, rate, number(0.01f),
                                number(0), number(-0.5f));
    fg::session s{g, {.devices = gpu.devices}};
    s.initialize();
    const auto before = s.run(fg::fetch(v));
    const auto run = [&](std::int32_t second, float r) {
      return s.try_run(fg::fetch(step), {{at, fg::tensor<std::int32_t>({2}, {1, second})}, {rate, fg::tensor<float>(r)}});
    };
    const auto bad_index = run(5, 0.1f);
    REQUIRE_FALSE(bad_index.has_value());
    CHECK(bad_index.error().code() == fg::error_code::invalid_argument);
    CHECK(bad_index.error().message() == "indices[1] is not in [0, 5)");
    const auto bad_rate = run(2, -1.f);
    REQUIRE_FALSE(bad_rate.has_value());
    CHECK(bad_rate.error().message() == "scalars[0] is not in the range that the op accepts");
    const auto kept = s.run(fg::fetch(v));
    CHECK(have_same_bits(before.erased(), kept.erased()));
    const auto changed = run(2, 0.1f);
    REQUIRE(changed.has_value());
    CHECK_FALSE(have_same_bits(before.erased(), changed->erased()));
  }
}
