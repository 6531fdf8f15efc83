#include <flowgraph/ops/array/transpose.hpp>

#include "../evaluate.hpp"

#include <flowgraph/ops/array/identity_variants.hpp>

using namespace ops_test;

namespace {

// Elements that differ, of any type.
template <class T> fg::tensor<T> different(const fg::shape& shape) {
  fg::tensor<T> t(shape);
  int next = 0;
  for (T& e : t.writable()) {
    if constexpr (std::is_same_v<T, std::string>) e = std::to_string(next) + std::string(30, '.');
    else if constexpr (std::is_same_v<T, fg::complex128>) e = T(next, -next);
    else e = static_cast<T>(next);
    ++next;
  }
  return t;
}

}  // namespace

TEST_CASE_TEMPLATE("axes move, for every size of element", T, std::int8_t, std::int16_t, float, double, fg::complex128,
                   std::string) {
  const auto x = different<T>({3, 4, 2, 5});
  fg::graph g;
  auto in = g.constant(x);
  auto y = fg::transpose(in, {2, 0, 3, 1});
  auto z = fg::tile(in, {1, 2, 1, 3});
  auto b = fg::broadcast_to(fg::reshape(in, {3, 4, 1, 10}), {2, 3, 4, 2, 10});
  fg::session s{g};
  const auto [moved, tiled, repeated] = s.run(fg::fetch(y, z, b));
  REQUIRE(moved.shape() == fg::shape{2, 3, 5, 4});
  REQUIRE(tiled.shape() == fg::shape{3, 8, 2, 15});
  bool right = true;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 5; ++l) {
          right = right && moved(k, i, l, j) == x(i, j, k, l);
          right = right && tiled(i, j, k, l) == x(i, j, k, l) && tiled(i, j + 4, k, l + 10) == x(i, j, k, l);
          right = right && repeated(1, i, j, 1, 5 * k + l) == x(i, j, k, l);
        }
  CHECK(right);
}

TEST_CASE("a large matrix is transposed in blocks, with the same bits by any number of threads") {
  const auto x = counting<float>({371, 523});
  fg::thread_pool pool(3);
  const auto flip = [](auto a) { return fg::transpose(a, {1, 0}); };
  const auto alone = evaluate(flip, x);
  CHECK(same_bits(alone, evaluate_once(true, {.pool = &pool}, flip, x)));
  CHECK(alone(522, 370) == x(370, 522));
  CHECK(same_bits(evaluate(flip, alone), x));
}

TEST_CASE("matrices that are no multiples of a square are transposed whole") {
  for (const std::int64_t rows : {1, 3, 4, 5, 16, 19, 37, 700})
    for (const std::int64_t columns : {1, 2, 4, 7, 15, 16, 33, 52, 1000}) {
      CAPTURE(rows);
      CAPTURE(columns);
      const auto x = counting<float>({2, columns, rows});
      const auto y = evaluate([](auto a) { return fg::transpose(a, {0, 2, 1}); }, x);
      std::size_t wrong = 0;
      for (std::int64_t k = 0; k < 2; ++k)
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = 0; c < columns; ++c) wrong += y(k, r, c) != x(k, c, r);
      CHECK(wrong == 0);
    }
}

TEST_CASE("what is no permutation is refused, in the graph or in the run") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2, 3});
  CHECK(says(refusal(g, [&] { fg::transpose(x, {0, 0}); }), "perm must name every axis once"));
  fg::graph h;
  auto perm = h.placeholder<std::int32_t>("perm", {fg::any});
  auto inverse = fg::invert_permutation(perm);
  fg::session s{h};
  CHECK(values(s.run(fg::fetch(inverse), {{perm, vector<std::int32_t>({2, 0, 1})}})) == std::vector<std::int32_t>{1, 2, 0});
  CHECK_FALSE(s.try_run(fg::fetch(inverse), {{perm, vector<std::int32_t>({0, 0, 1})}}));
  CHECK_FALSE(s.try_run(fg::fetch(inverse), {{perm, vector<std::int32_t>({0, 3, 1})}}));
}

TEST_CASE("gradients of repetition are sums over it") {
  const auto x = counting<float>({2, 1}), w = counting<float>({4, 3});
  const auto tiled = [](auto a, auto b) { return fg::out<float>(fg::gradients(fg::sum(fg::tile(a, {2, 3}) * b), a)); };
  CHECK(values(evaluate(tiled, x, w)) == std::vector<float>{1 + 2 + 3 + 7 + 8 + 9, 4 + 5 + 6 + 10 + 11 + 12});
  const auto broadcast = [](auto a, auto b) {
    return fg::out<float>(fg::gradients(fg::sum(fg::broadcast_to(a, {2, 2, 3}) * fg::reshape(b, {2, 2, 3})), a));
  };
  CHECK(values(evaluate(broadcast, x, w)) == std::vector<float>{1 + 2 + 3 + 7 + 8 + 9, 4 + 5 + 6 + 10 + 11 + 12});
}

TEST_CASE("a conjugate transpose conjugates complex numbers") {
  const fg::tensor<fg::complex64> x({1, 2}, {{1, 2}, {3, -4}});
  const auto y = evaluate([](auto a) { return fg::conjugate_transpose(a, {1, 0}); }, x);
  CHECK(y.shape() == fg::shape{2, 1});
  CHECK(y[1] == fg::complex64(3, 4));
}

TEST_CASE("a prepared step refuses a shape whose size would wrap around to a small one") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1, 1});
  const auto multiples = fg::ensure_shape(g.constant(fg::tensor<std::int64_t>({2}, {4, std::int64_t{1} << 62})), fg::shape{2});
  fg::session s{g};
  const fg::any_out fed[] = {x}, fetched[] = {fg::tile(x, multiples)};
  const auto step = s.try_prepare(fed, fetched, {});
  REQUIRE_FALSE(step.has_value());
  INFO(std::string(step.error().what()));
  CHECK(step.error().code() == fg::error_code::resource_exhausted);
  CHECK(std::string_view(step.error().what()).find("too large") != std::string_view::npos);
}

TEST_CASE("a transpose without axes reverses them, whatever is known of the rank") {
  const fg::tensor<float> x({1, 2, 3}, {1, 2, 3, 4, 5, 6}), v({3}, {1, 2, 3}), scalar(7.f);
  const auto reversed = [](auto a) { return fg::transpose(a); };
  const auto y = evaluate(reversed, x);
  CHECK(y.shape() == fg::shape{3, 2, 1});
  CHECK(values(y) == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(values(evaluate(reversed, v)) == std::vector<float>{1, 2, 3});
  CHECK(evaluate(reversed, scalar).scalar() == 7);
  CHECK(values(evaluate([](auto a) { return fg::transpose(a, {0}); }, v)) == std::vector<float>{1, 2, 3});
}
