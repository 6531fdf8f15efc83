#include <flowgraph/ops/random/stateless.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

const auto dims = vector<std::int32_t>({2, 3});

}  // namespace

// The numbers are TensorFlow's.
TEST_CASE("a seed's numbers are TensorFlow's, in every run and for integers of 32 bits as well") {
  const auto seed = vector<std::int64_t>({1, 2});
  const auto uniform = evaluate([](auto d, auto s) { return fg::stateless_random_uniform<float>(d, s); }, dims, seed);
  CHECK(values(uniform) == std::vector<float>{0.8440604f, 0.19204533f, 0.9962232f, 0.1603874f, 0.27199018f, 0.649346f});
  const auto narrow =
      evaluate([](auto d, auto s) { return fg::stateless_random_uniform<float>(d, s); }, dims, vector<std::int32_t>({1, 2}));
  CHECK(same_bits(uniform, narrow));
  const auto normal = evaluate([](auto d, auto s) { return fg::stateless_random_normal<double>(d, s); }, dims, seed);
  CHECK(normal[0] == doctest::Approx(-0.14231181).epsilon(1e-7));
  CHECK(normal[5] == doctest::Approx(-0.89821754).epsilon(1e-7));
  const auto bits = evaluate(
      [](auto d, auto s) {
        return fg::apply_as<std::uint32_t, std::int32_t, std::int64_t>(fg::site{}, fg::stateless_random_uniform_full_int_op{}, d,
                                                                       s);
      },
      dims, seed);
  CHECK(values(bits) == std::vector<std::uint32_t>{1105988140, 1738052849, 3959391294, 370444179, 10670227, 4048756165});
}

TEST_CASE("the key and the counter of a seed draw what the seed does") {
  const auto from_key = [](auto d, auto s) {
    const auto [key, counter, alg] = fg::apply(fg::stateless_random_get_key_counter_alg_op{}, s);
    return fg::apply_as<float, std::int32_t>(fg::site{}, fg::stateless_random_uniform_v2_op{}, d, key, counter, alg);
  };
  const auto seed = vector<std::int64_t>({-7, 1099511627776});
  const auto from_seed = [](auto d, auto s) { return fg::stateless_random_uniform<float>(d, s); };
  CHECK(same_bits(evaluate(from_key, dims, seed), evaluate(from_seed, dims, seed)));
  const auto key = evaluate([](auto s) { return std::get<0>(fg::apply(fg::stateless_random_get_key_counter_op{}, s)); },
                            vector<std::int32_t>({-1, 0}));
  CHECK(key[0] == 3809650178027516496u);
}

TEST_CASE("nothing is drawn from an empty range, but no numbers are") {
  const auto draw = [](auto d, auto s) {
    const auto two = fg::detail::constant_beside(d, fg::tensor<std::int32_t>(2));
    return fg::apply(fg::stateless_random_uniform_int_op{}, d, s, two, two);
  };
  const auto seed = vector<std::int64_t>({1, 2});
  CHECK(evaluate(draw, vector<std::int32_t>({0, 3}), seed).shape() == fg::shape{0, 3});
}
