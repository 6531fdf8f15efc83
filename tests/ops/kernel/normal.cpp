#include "levels.hpp"

#include <flowgraph/ops/random/detail/philox.hpp>

using namespace levels;

namespace {

// One after the other, by the functions of the standard library.
std::vector<float> one_by_one(std::uint64_t key, std::uint64_t stream, std::uint64_t skipped, std::int64_t blocks) {
  flowgraph::detail::philox source(key, stream);
  source.skip(skipped);
  std::vector<float> y(static_cast<std::size_t>(4 * blocks));
  for (std::size_t i = 0; i < y.size(); i += 4) flowgraph::detail::normal_distribution<float>::draw(source(), y.data() + i);
  return y;
}

}  // namespace

TEST_CASE("normal numbers in batches are those drawn one by one") {
  for_each_level([](kernel::instruction_set at) {
    const auto normal = kernel::dispatch([]<class L>(L) { return &L::template normal<float>; }, at);
    for (const std::int64_t blocks : {1, 3, 64, 65, 200, 20000}) {
      for (const std::uint64_t skipped : {std::uint64_t{0}, std::uint64_t{12345}, ~std::uint64_t{0} - 70}) {
        flowgraph::detail::philox source(87654321, 42);
        source.skip(skipped);
        std::vector<float> y(static_cast<std::size_t>(4 * blocks) + 1, 7.f);
        normal(source.key(), source.place_low(), source.place_high(), y.data(), blocks);
        CHECK(y.back() == 7.f);
        y.pop_back();
        const std::vector<float> expected = one_by_one(87654321, 42, skipped, blocks);
#ifdef __GLIBC__
        CHECK(bits_agree(y, expected));
#else
        for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(expected[i]).epsilon(1e-5));
#endif
      }
    }
  });
}
