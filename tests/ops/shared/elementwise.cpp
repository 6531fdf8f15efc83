#include <flowgraph/ops/shared/elementwise.hpp>

#include "../evaluate.hpp"

#include <flowgraph/core/thread_pool.hpp>

using namespace ops_test;

namespace {

// a - b by the definition of broadcasting, one element at a time.
template <class T> fg::tensor<T> difference(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  fg::shape result;
  REQUIRE(fg::broadcast(a.shape(), b.shape(), result));
  fg::tensor<T> y(result);
  auto index_in = [&](const fg::shape& s, std::int64_t i) {
    std::int64_t at = 0, step = 1;
    for (int axis = result.rank - 1, own = s.rank - 1; own >= 0; --axis, --own) {
      at += s[own] == 1 ? 0 : i % result[axis] * step;
      step *= s[own];
      i /= result[axis];
    }
    return static_cast<std::size_t>(at);
  };
  for (std::int64_t i = 0; i < result.size(); ++i)
    y.writable()[static_cast<std::size_t>(i)] = T(a[index_in(a.shape(), i)] - b[index_in(b.shape(), i)]);
  return y;
}

template <class T> void check_shapes(const fg::shape& a, const fg::shape& b) {
  CAPTURE(to_string(a));
  CAPTURE(to_string(b));
  const fg::tensor<T> x = counting<T>(a), y = counting<T>(b);
  const fg::tensor<T> found = evaluate([](auto p, auto q) { return p - q; }, x, y);
  CHECK(same_bits(found, difference(x, y)));
}

struct half_sum_op : fg::binary_elementwise<half_sum_op> {
  static constexpr std::string_view name = "HalfSum";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  struct function {
    template <class P> static P packet(P a, P b) { return (a + b) * P(0.5); }
  };
};

}  // namespace

#include <flowgraph/ops/shared/elementwise_kernels.hpp>

TEST_CASE("broadcasting: every pair of shapes gives what its definition says") {
  const fg::shape shapes[] = {{},        {1},          {3},       {4, 3},       {4, 1},    {1, 3},   {2, 1, 3},
                              {2, 4, 1}, {2, 1, 1, 3}, {1, 4, 1}, {5, 1, 4, 1}, {0, 1, 3}, {2, 4, 3}};
  for (const fg::shape& a : shapes) {
    for (const fg::shape& b : shapes) {
      fg::shape result;
      if (!fg::broadcast(a, b, result)) continue;
      check_shapes<float>(a, b);
      check_shapes<std::int16_t>(a, b);
      check_shapes<fg::half>(a, b);
    }
  }
}

TEST_CASE("broadcasting: large operands in every form, the same bits for any number of threads") {
  const std::pair<fg::shape, fg::shape> pairs[] = {{{70001}, {70001}},  {{70001}, {}},          {{}, {70001}},
                                                   {{300, 301}, {301}}, {{300, 301}, {300, 1}}, {{40, 1, 50}, {41, 1}},
                                                   {{2, 70001}, {2, 1}}};
  fg::thread_pool pool(3);
  for (const auto& [a, b] : pairs) {
    check_shapes<double>(a, b);
    const fg::tensor<float> x = counting<float>(a), y = counting<float>(b);
    auto quotient = [](auto p, auto q) { return fg::tanh(p / q); };
    CHECK(same_bits(evaluate_once(true, {}, quotient, x, y), evaluate_once(true, {.pool = &pool}, quotient, x, y)));
  }
}

TEST_CASE("shapes that do not broadcast are refused where the graph is built, and where it runs") {
  fg::graph g;
  auto a = g.placeholder<float>("a", {2, 3});
  auto b = g.placeholder<float>("b", {4});
  const fg::error built = refusal(g, [&] { a + b; });
  CHECK(built.code() == fg::error_code::invalid_argument);
  CHECK(says(built, "incompatible shapes"));
  CHECK(says(built, "a float[2,3], b float[4]"));

  auto c = g.placeholder<float>("c", {fg::any});
  auto sum = fg::apply(fg::add_v2_op{}, a, c, {.name = "sum"});
  fg::session s{g};
  const auto run = s.try_run(fg::fetch(sum), {{a, fg::tensor<float>({2, 3})}, {c, fg::tensor<float>(fg::shape{4})}});
  REQUIRE_FALSE(run);
  CHECK(run.error().code() == fg::error_code::invalid_argument);
  CHECK(says(run.error(), "sum"));
  CHECK(says(run.error(), "[2,3]"));
}

TEST_CASE("a shape rule broadcasts what is known") {
  fg::graph g;
  auto a = g.placeholder<float>("a", {fg::any, 3});
  auto b = g.placeholder<float>("b", {5, 1});
  CHECK((a * b).shape() == fg::shape{5, 3});
  CHECK((a * g.placeholder<float>("c", fg::shape::unknown())).shape() == fg::shape::unknown());
  CHECK((a * 2.f).shape() == fg::shape{fg::any, 3});
}

TEST_CASE("an op of the program's own needs a functor and its name") {
  auto y = evaluate([](auto a, auto b) { return fg::apply(half_sum_op{}, a, b); }, vector<float>({1, 2, 3, 4, 5}),
                    vector<float>({3, 2, 1, 0, -1}));
  CHECK(values(y) == std::vector<float>(5, 2.f));
  auto h = evaluate([](auto a, auto b) { return fg::apply(half_sum_op{}, a, b); }, vector<fg::half>({1.f, 2.f}),
                    vector<fg::half>({3.f}));
  CHECK(static_cast<float>(h[1]) == 2.5f);
}

TEST_CASE("halves are rounded once, after a computation in float") {
  // 2048 + 1 is no half: it is a tie, and goes to the even neighbour.
  auto y =
      evaluate([](auto a, auto b) { return a + b; }, vector<fg::half>({2048.f, 2050.f}), fg::tensor<fg::half>(fg::half(1.f)));
  CHECK(static_cast<float>(y[0]) == 2048.f);
  CHECK(static_cast<float>(y[1]) == 2052.f);
  const fg::tensor<fg::half> many = counting<fg::half>({1000});  // more than one block
  auto z = evaluate([](auto a, auto b) { return a - b; }, many, fg::tensor<fg::half>(fg::half(1.f)));
  CHECK(static_cast<float>(z[0]) == 0.f);
  CHECK(static_cast<float>(z[999]) == 999.f);
}

TEST_CASE("ops of element by element skip the shape rule where shapes are equal") {
  CHECK(fg::table_of<fg::add_v2_op, float>.elementwise);
  CHECK(fg::table_of<fg::tanh_op, float>.elementwise);
  CHECK(fg::table_of<fg::tanh_grad_op, float>.elementwise);
  CHECK(fg::table_of<fg::less_op, float>.elementwise);
}
