#include "levels.hpp"

using namespace levels;

TEST_CASE("the level in use stays the same, and is one that the build has") {
  const kernel::instruction_set level = kernel::level();

  CHECK(kernel::level() == level);
  CHECK(level >= kernel::own::instructions);
}

#if defined(FLOWGRAPH_COMPILED) && defined(__x86_64__)
TEST_CASE("a variable of the environment lowers the level, and never raises it") {
  using enum kernel::instruction_set;

  CHECK(kernel::limited_level("baseline", avx512) == baseline);
  CHECK(kernel::limited_level("avx2", avx512) == avx2);
  CHECK(kernel::limited_level("avx2", baseline) == baseline);
  CHECK(kernel::limited_level("avx512", avx512) == avx512);
  CHECK(kernel::limited_level("avx512", avx2) == avx2);
  CHECK(kernel::limited_level("sse", avx2) == avx2);
  CHECK(kernel::limited_level(nullptr, avx2) == avx2);
}
#endif

TEST_CASE("a pick meets the level that is asked for, where the build has it") {
  for_each_level([](kernel::instruction_set at) {
    const auto met = kernel::dispatch([]<class Level>(Level) { return Level::instructions; }, at);
    CHECK(met == at);
  });
}

TEST_CASE("levels agree on a product within rounding") {
  const std::vector<float> a = uniform<float>(20 * 300, -1, 1, 1), b = uniform<float>(300 * 30, -1, 1, 2);
  const kernel::product_shape shape{20, 30, 300, 300, 30, 30, false, false, false};
  std::vector<std::vector<float>> results;

  for_each_level([&](kernel::instruction_set at) {
    std::vector<float> c(20 * 30);
    const auto scratch_size = kernel::dispatch([]<class L>(L) { return &L::template product_scratch<float>; }, at);
    const auto product = kernel::dispatch([]<class L>(L) { return &L::template product<float>; }, at);
    std::vector<float> scratch(static_cast<std::size_t>(scratch_size(shape)));
    product(shape, a.data(), b.data(), c.data(), scratch.data());
    results.push_back(c);
  });

  for (const std::vector<float>& c : results)
    for (std::size_t i = 0; i < c.size(); ++i) CHECK(c[i] == doctest::Approx(results[0][i]).epsilon(1e-4));
}
