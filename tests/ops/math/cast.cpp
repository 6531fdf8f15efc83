#include <flowgraph/ops/math/cast.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {

template <class To, class From> std::vector<To> cast_of(const fg::tensor<From>& x) {
  return values(evaluate([](auto a) { return fg::cast<To>(a); }, x));
}

}  // namespace

TEST_CASE("numbers that an integer cannot hold become what the processor makes of them") {
  constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
  const auto x = vector<float>({1.9f, -1.9f, 3e9f, -infinity, no_number});
  CHECK(cast_of<std::int32_t>(x) == std::vector<std::int32_t>{1, -1, lowest, lowest, lowest});
  CHECK(cast_of<std::int64_t>(x)[2] == 3000000000);
  CHECK(cast_of<std::uint8_t>(vector<float>({-1, 257, 255.5f})) == std::vector<std::uint8_t>{255, 1, 255});
  CHECK(cast_of<std::uint32_t>(vector<double>({4294967295., -1})) == std::vector<std::uint32_t>{4294967295u, 4294967295u});
  CHECK(cast_of<std::uint64_t>(vector<double>({1e19, 5}))[0] == 10000000000000000000u);
  CHECK(cast_of<std::int8_t>(vector<std::int32_t>({128, -129})) == std::vector<std::int8_t>{-128, 127});
}

TEST_CASE("everything but zero is true; complex numbers lose their imaginary part") {
  CHECK(cast_of<bool>(vector<float>({0, -0.f, 0.1f, no_number})) == std::vector<bool>{false, false, true, true});
  CHECK(cast_of<float>(fg::tensor<bool>({2}, {true, false})) == std::vector<float>{1, 0});
  CHECK(cast_of<float>(fg::tensor<fg::complex128>({1}, {{2.5, 7}})) == std::vector<float>{2.5f});
  CHECK(cast_of<fg::complex64>(vector<std::int32_t>({3})) == std::vector<fg::complex64>{3});
}

TEST_CASE("narrowing rounds to nearest, or cuts when told to") {
  const float x = std::bit_cast<float>(0x3f80ffffu);
  fg::graph g;
  auto in = g.constant(x);
  auto rounded = fg::cast<fg::bfloat16>(in);
  auto cut = fg::apply_as<float, fg::bfloat16>({}, fg::cast_op{.truncate = true}, in);
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(rounded, cut));
  CHECK(a.scalar().bits == 0x3f81);
  CHECK(b.scalar().bits == 0x3f80);
}

TEST_CASE("gradients pass between floating types, and end at integers") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto loss = fg::square(fg::cast<double>(x)) + fg::cast<double>(fg::cast<std::int32_t>(x));
  fg::out<float> dx = fg::gradients(loss, x);
  fg::session s{g};
  CHECK(s.run(fg::fetch(dx), {{x, 3.f}}).scalar() == 6.f);
}
