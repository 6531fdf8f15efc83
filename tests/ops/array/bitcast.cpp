#include <flowgraph/ops/array/bitcast.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

template <class From, class To> void check_pair() {
  constexpr auto from = static_cast<std::int64_t>(sizeof(From)), to = static_cast<std::int64_t>(sizeof(To));
  const auto there = [](auto a) { return fg::bitcast<To>(a); };
  const auto back = [](auto a) { return fg::bitcast<From>(a); };
  const fg::tensor<From> x(from < to ? fg::shape{3, to / from} : fg::shape{3});
  const auto y = evaluate(there, x);
  CHECK(y.shape() == (from > to ? fg::shape{3, from / to} : fg::shape{3}));
  CHECK(same_bits(evaluate(back, y), x));
}
template <class From, class... To> void check_all(fg::type_list<To...>) { (check_pair<From, To>(), ...); }

}  // namespace

TEST_CASE("every size as every other, and back") {
  using sizes = fg::type_list<std::uint8_t, fg::half, float, fg::complex64, fg::complex128>;
  [&]<class... From>(fg::type_list<From...>) { (check_all<From>(sizes{}), ...); }(sizes{});
}

TEST_CASE("bits stay, the lowest first") {
  CHECK(values(evaluate([](auto a) { return fg::bitcast<std::uint8_t>(a); }, fg::tensor<std::int32_t>(258))) ==
        std::vector<std::uint8_t>{2, 1, 0, 0});
  CHECK(evaluate([](auto a) { return fg::bitcast<std::int32_t>(a); }, fg::tensor<float>(1.f))[0] == 0x3f800000);
  fg::graph g;
  auto x = g.placeholder<std::uint8_t>("x", {2, 6});
  CHECK(says(refusal(g, [&] { fg::bitcast<std::int64_t>(x); }), "expected a last axis of 8"));
  CHECK(fg::bitcast<std::int16_t>(g.placeholder<float>("y", {fg::any, 6})).shape() == fg::shape{fg::any, 6, 2});
}
