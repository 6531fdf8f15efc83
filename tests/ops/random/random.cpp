#include <flowgraph/ops/random/random.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

namespace {

// Draws of one node, run after run.
template <class T, class Op>
std::vector<fg::tensor<T>> draws(const Op& op, const fg::shape& extents, int runs, const fg::session_options& options = {}) {
  fg::graph g;
  fg::tensor<std::int32_t> dims(fg::shape{extents.rank});
  for (int i = 0; i < extents.rank; ++i) dims.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(extents[i]);
  auto y = fg::apply_as<T, std::int32_t>(fg::site{}, op, g.constant(dims));
  fg::session s{g, options};
  std::vector<fg::tensor<T>> made;
  for (int i = 0; i < runs; ++i) made.push_back(s.run(fg::fetch(y)));
  return made;
}

template <class T, class U> void check_values(const fg::tensor<T>& found, std::initializer_list<U> expected) {
  std::size_t i = 0;
  for (const U e : expected) CHECK(static_cast<double>(found[i++]) == doctest::Approx(static_cast<double>(e)).epsilon(1e-6));
}

}  // namespace

// The numbers are those that TensorFlow draws in the first two runs of a node.
TEST_CASE("uniform numbers are TensorFlow's") {
  const auto f = draws<float>(fg::random_uniform_op{{0, 7}}, {3}, 2);
  check_values(f[0], {0.9715534448623657, 0.7198868989944458, 0.7485946416854858});
  check_values(f[1], {0.9256711006164551, 0.41830873489379883, 0.4297682046890259});
  const auto d = draws<double>(fg::random_uniform_op{{0, 7}}, {3}, 2);
  check_values(d[0], {0.7724281190333644, 0.9887573187648224, 0.43000580153281853});
  check_values(d[1], {0.4053695116533129, 0.4381461873175063, 0.1233546022957479});
  const auto h = draws<fg::half>(fg::random_uniform_op{{0, 7}}, {3}, 2);
  check_values(h[0], {0.9658203125, 0.3134765625, 0.4873046875});
  check_values(h[1], {0.09765625, 0.78515625, 0.6611328125});
  const auto b = draws<fg::bfloat16>(fg::random_uniform_op{{0, 7}}, {3}, 1);
  check_values(b[0], {0.7265625, 0.5078125, 0.8984375});
  // Seeds use all of their 64 bits.
  check_values(draws<float>(fg::random_uniform_op{{-5, 1099511627776}}, {3}, 1)[0],
               {0.4563189744949341, 0.27367472648620605, 0.45081043243408203});
}

TEST_CASE("normal numbers are TensorFlow's") {
  const auto f = draws<float>(fg::random_standard_normal_op{{0, 7}}, {3}, 2);
  check_values(f[0], {-0.23595823347568512, -0.04518522694706917, 0.13345110416412354});
  check_values(f[1], {0.19299279153347015, -0.34238335490226746, 1.1560100317001343});
  const auto d = draws<double>(fg::random_standard_normal_op{{0, 7}}, {3}, 1);
  check_values(d[0], {-0.05072188245958234, 0.7168402467140261, -1.1928227384880832});
}

TEST_CASE("truncated normal numbers are TensorFlow's, and within two deviations") {
  const auto d = draws<double>(fg::truncated_normal_op{{0, 7}}, {3}, 2);
  check_values(d[0], {-0.05072188245958234, 0.7168402467140261, -1.1687211534914121});
  check_values(d[1], {0.5092211837203278, -1.2436262673398224, -1.979789728420087});
  double squares = 0;
  const auto many = draws<float>(fg::truncated_normal_op{{1, 1}}, {10001}, 1)[0];
  for (const float x : many) {
    CHECK(std::abs(x) < 2.f);
    squares += static_cast<double>(x * x);
  }
  CHECK(std::sqrt(squares / 10001) == doctest::Approx(0.8796).epsilon(0.03));
}

TEST_CASE("integers are TensorFlow's, and in range") {
  auto draw = [](auto first, auto end, std::int64_t seed, std::int64_t seed2) {
    fg::graph g;
    using T = decltype(first);
    auto y = fg::apply(fg::site{}, fg::random_uniform_int_op{{seed, seed2}}, g.constant(fg::tensor<std::int32_t>({1}, {3})),
                       g.constant(first), g.constant(end));
    fg::session s{g};
    s.run(fg::fetch(y));
    return fg::tensor<T>(s.run(fg::fetch(y)));
  };
  check_values(draw(0, 10, -5, 1099511627776), {7, 5, 3});
  check_values(draw(std::int64_t{0}, std::int64_t{10}, -5, 1099511627776), {7, 3, 6});

  fg::graph g;
  auto x = fg::random_uniform<std::int32_t>(g, {1000}, {.min = -3, .max = 4});
  auto empty = fg::random_uniform<std::int32_t>(g, {1}, {.min = 4, .max = 4});
  auto none = fg::random_uniform<std::int32_t>(g, {0}, {.min = 4, .max = 4});
  fg::session s{g};
  CHECK(s.run(fg::fetch(none)).size() == 0);  // as in TensorFlow
  int seen[7] = {};
  for (const std::int32_t i : s.run(fg::fetch(x))) {
    REQUIRE(i >= -3);
    REQUIRE(i < 4);
    ++seen[i + 3];
  }
  for (const int n : seen) CHECK(n > 80);
  const auto refused = s.try_run(fg::fetch(empty));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("minval < maxval, found 4 and 4") != std::string_view::npos);
}

TEST_CASE("the same bits on any number of threads") {
  fg::thread_pool pool(4);
  auto same = [&](const auto& op) {
    const auto alone = draws<float>(op, {3, 20003}, 2), together = draws<float>(op, {3, 20003}, 2, {.pool = &pool});
    for (std::size_t run = 0; run < 2; ++run)
      for (std::size_t i = 0; i < alone[run].size(); ++i)
        if (alone[run][i] != together[run][i]) return false;
    return true;
  };
  CHECK(same(fg::random_uniform_op{{3, 4}}));
  CHECK(same(fg::random_standard_normal_op{{3, 4}}));
  CHECK(same(fg::truncated_normal_op{{3, 4}}));
}

TEST_CASE("nodes without seeds differ by their names, runs of a node by their number, sessions not at all") {
  fg::graph g;
  const auto dims = g.constant(fg::tensor<std::int32_t>({1}, {4}));
  auto a = fg::apply_as<float, std::int32_t>(fg::site{"a"}, fg::random_uniform_op{}, dims);
  auto b = fg::apply_as<float, std::int32_t>(fg::site{"b"}, fg::random_uniform_op{}, dims);
  fg::session s{g}, other{g};
  const auto [a0, b0] = s.run(fg::fetch(a, b));
  const auto [a1, b1] = s.run(fg::fetch(a, b));
  const auto [again, unused] = other.run(fg::fetch(a, b));
  CHECK(a0[0] != b0[0]);
  CHECK(a0[0] != a1[0]);
  CHECK(b0[3] != b1[3]);
  CHECK(again[0] == a0[0]);
  CHECK(unused.size() == 4);
}

TEST_CASE("draws are scaled and moved; a shape known at run time only") {
  fg::graph g;
  auto dims = g.placeholder<std::int32_t>("dims", {fg::any});
  auto u = fg::random_uniform<double>(g, dims, {.min = 5, .max = 6, .seed = 1}, {.name = "noise"});
  auto n = fg::random_normal<float>(g, {10000}, {.mean = 3, .stddev = 0.1f, .seed = 1});
  CHECK(u.name() == "noise");
  CHECK(n.shape() == fg::shape{10000});
  fg::session s{g};
  const auto [tu, tn] = s.run(fg::fetch(u, n), {{dims, fg::tensor<std::int32_t>({2}, {2, 3})}});
  CHECK(tu.shape() == fg::shape{2, 3});
  for (const double x : tu) CHECK((x >= 5 && x < 6));
  double sum = 0;
  for (const float x : tn) sum += static_cast<double>(x);
  CHECK(sum / 10000 == doctest::Approx(3).epsilon(0.002));
  const auto refused = s.try_run(fg::fetch(u), {{dims, fg::tensor<std::int32_t>({2}, {2, -1})}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("dropout keeps the mean, drops that part, and passes gradients to what is left") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 100});
  auto y = fg::dropout(x, 0.25f, 7);
  auto same = fg::dropout(x, 0.f);
  fg::session s{g};
  fg::tensor<float> ones({100, 100});
  for (float& e : ones.writable()) e = 1;
  const auto [ty, ts] = s.run(fg::fetch(y, same), {{x, ones}});
  int dropped = 0;
  for (const float e : ty) {
    CHECK((e == 0.f || e == doctest::Approx(4.f / 3)));
    dropped += e == 0.f;
  }
  CHECK(dropped > 2300);
  CHECK(dropped < 2700);
  CHECK(ts[5] == 1.f);
  const fg::tensor<float> next = s.run(fg::fetch(y), {{x, ones}});
  int agreed = 0;
  for (std::size_t i = 0; i < next.size(); ++i) agreed += next[i] == ty[i];
  CHECK(agreed < 7000);
}
