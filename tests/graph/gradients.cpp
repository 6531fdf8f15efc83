#include <flowgraph/graph/gradients.hpp>

#include "ops.hpp"

#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

using namespace test;

namespace {

struct elementwise {
  fg::shape shape(const fg::shape& a, const fg::shape&) const { return a; }
  fg::shape shape(const fg::shape& a) const { return a; }
};

struct product_op : elementwise {
  static constexpr std::string_view name = "Product";
  using types = fg::floating;
  fg::shape shape(const fg::shape& a, const fg::shape&) const { return a; }
  template <class T> void operator()(fg::cpu, fg::view<const T> a, fg::view<const T> b, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(a[i] * b[i]);
  }
  template <class T> fg::gradients_of<T, 2> gradient(fg::out<T> a, fg::out<T> b, fg::out<T>, fg::out<T> dy) const {
    return {fg::apply(product_op{}, b, dy), fg::apply(product_op{}, a, dy)};
  }
};

// y = k x. Its gradient is applied to itself.
struct scale_op {
  static constexpr std::string_view name = "TestScale";
  using types = fg::floating;
  float k = 1;
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(x[i] * static_cast<T>(k));
  }
  template <class T> fg::out<T> gradient(fg::out<T>, fg::out<T>, fg::out<T> dy) const { return fg::apply(*this, dy); }
};

// x * k for a scalar k. Its gradient for k is not summed.
struct unsummed_op {
  static constexpr std::string_view name = "Unsummed";
  fg::shape shape(const fg::shape& x, const fg::shape&) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<const float> k, fg::view<float> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] * k[0];
  }
  fg::gradients_of<float, 2> gradient(fg::out<float>, fg::out<float>, fg::out<float>, fg::out<float> dy) const {
    return {dy, dy};
  }
};

// Both halves of a value, as two outputs; and a third that counts, which carries no gradient.
struct halves_op {
  static constexpr std::string_view name = "Halves";
  using types = fg::floating;
  std::array<fg::shape, 3> shape(const fg::shape& x) const { return {x, x, fg::shape{}}; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> a, fg::view<T> b, fg::view<int> n) const {
    for (std::size_t i = 0; i < x.size(); ++i) a[i] = b[i] = static_cast<T>(x[i] / 2);
    n.scalar() = static_cast<int>(x.size());
  }
  template <class T>
  fg::out<T> gradient(fg::out<T>, fg::out<T>, fg::out<T>, fg::out<int>, fg::out<T> da, fg::out<T> db, fg::out<int>) const {
    return fg::apply(scale_op{0.5f}, fg::add_n(fg::out_list<T>{da, db}));
  }
};

struct round_op {
  static constexpr std::string_view name = "TestRound";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i];
  }
};

// Takes a list and an integer; gives gradients for the even ones alone.
struct total_op {
  static constexpr std::string_view name = "Total";
  using types = fg::floating;
  fg::shape shape(std::span<const fg::shape> x, const fg::shape&) const { return x[0]; }
  template <class T> void operator()(fg::cpu, fg::view_list<const T> x, fg::view<const int>, fg::view<T> y) const {
    y[0] = T(0);
    for (std::size_t i = 0; i < x.size(); ++i) y[0] = static_cast<T>(y[0] + x[i][0]);
  }
  template <class T> fg::gradient_list gradient(const fg::out_list<T>& x, fg::out<int>, fg::out<T>, fg::out<T> dy) const {
    fg::gradient_list made;
    for (std::size_t i = 0; i < x.size(); ++i) made.push_back(i % 2 == 0 ? fg::any_grad(dy) : fg::any_grad(fg::none));
    made.push_back(fg::none);
    return made;
  }
};

[[maybe_unused]] fg::out<float> product(fg::out<float> a, fg::out<float> b, fg::site s = {}) {
  return fg::apply(product_op{}, a, b, s);
}
fg::out<float> scaled(fg::out<float> x, float k, fg::site s = {}) { return fg::apply(scale_op{k}, x, s); }

struct scalars {
  fg::graph g;
  fg::out<float> x = source<float>(g, "x", {}), w = source<float>(g, "w", {});
  float at(fg::out<float> y, float x_value, float w_value = 0) const {
    fg::session s{g};
    return s.run(fg::fetch(y), {{x, x_value}, {w, w_value}}).scalar();
  }
};

#ifndef FLOWGRAPH_INFERENCE
float three_times(float x) { return 3 * x; }
#endif

}  // namespace

#ifdef FLOWGRAPH_INFERENCE

TEST_CASE("a build for inference says that it has no gradients") {
  scalars s;
  const auto y = scaled(s.x, 2);
  const fg::error why = refusal(s.g, [&] { fg::gradients(y, s.x); });
  CHECK(why.code() == fg::error_code::unimplemented);
  CHECK(why.message() == "this is a build for inference: ops carry no gradients");
  CHECK(why.where().line() == std::source_location::current().line() - 3);
}

#else

TEST_CASE("a gradient follows the chain rule") {
  scalars s;
  const fg::out<float> d = fg::gradients(scaled(scaled(s.x, 2), 5), s.x);
  CHECK(s.at(d, 7) == 10.f);
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("a gradient whose shape is not that of the input is refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2, 3}), k = g.placeholder<float>("k", {});
  auto y = fg::apply(unsummed_op{}, x, k, {.name = "y"});
  try {
    (void)fg::gradients(y, k);
    FAIL("no error");
  } catch (const fg::error& e) {
    CHECK(e.code() == fg::error_code::invalid_argument);
    CHECK(e.message().find("the gradient of op Unsummed for input 1 of node 'y' has the shape [2,3], but the input has []") !=
          std::string_view::npos);
  }
}
#endif

TEST_CASE("what arrives from several consumers is summed") {
  scalars s;
  const auto square = product(s.x, s.x);
  const fg::out<float> d = fg::gradients(product(square, s.x), s.x);  // x^3
  CHECK(s.at(d, 2) == 12.f);
}

TEST_CASE("gradients with respect to several handles come together, of inner ones too") {
  scalars s;
  const auto inner = scaled(s.x, 3);
  const auto [dx, dw, di] = fg::gradients(product(inner, s.w), s.x, s.w, inner);
  CHECK(s.at(dx, 2, 5) == 15.f);
  CHECK(s.at(dw, 2, 5) == 6.f);
  CHECK(s.at(di, 2, 5) == 5.f);
}

TEST_CASE("a gradient of a gradient is one more call") {
  scalars s;
  const fg::out<float> first = fg::gradients(product(product(s.x, s.x), s.x), s.x);
  const fg::out<float> second = fg::gradients(first, s.x);
  CHECK(s.at(second, 2) == 12.f);
  const fg::out<float> third = fg::gradients(second, s.x);
  CHECK(s.at(third, 2) == 6.f);
}

TEST_CASE("the gradient of a loss with respect to itself is one") {
  scalars s;
  const auto y = scaled(s.x, 3);
  CHECK(s.at(fg::gradients(y, y), 2) == 1.f);
}

TEST_CASE("a gradient begins with what it is given, and takes some handles for constants") {
  scalars s;
  const auto y = product(s.x, scaled(s.x, 2));
  const fg::any_grad start[] = {s.w};
  CHECK(s.at(fg::gradients(y, s.x, {.starts = start}), 3, 10) == 120.f);

  const auto inner = scaled(s.x, 2);
  const fg::any_out constants[] = {inner};
  CHECK(s.at(fg::gradients(product(s.x, inner), s.x, {.stop = constants}), 3) == 6.f);
}

TEST_CASE("handles known at run time only") {
  scalars s;
  const auto y = product(s.x, s.w);
  const std::vector<fg::grad<float>> d = fg::gradients(y, fg::out_list<float>{s.x, s.w, s.x});
  REQUIRE(d.size() == 3);
  CHECK(s.at(d[0], 2, 5) == 5.f);
  CHECK(s.at(d[1], 2, 5) == 2.f);
  CHECK(s.at(d[2], 2, 5) == 5.f);
}

TEST_CASE("outputs that nobody uses get zeros, integers carry nothing") {
  scalars s;
  const auto [a, b, n] = fg::apply(halves_op{}, s.x);
  CHECK(s.at(fg::gradients(scaled(a, 8), s.x), 1) == 4.f);
  CHECK(s.at(fg::gradients(product(a, b), s.x), 6) == 3.f);
}

TEST_CASE("an op gives gradients for lists, and none where there is none") {
  scalars s;
  const auto y = fg::apply(total_op{}, fg::out_list<float>{s.x, s.w, s.x}, source<int>(s.g, "i"));
  const auto [dx, dw] = fg::gradients({}, {.allow_none = true}, y, s.x, s.w);
  CHECK_FALSE(dx.is_none());
  CHECK(dw.is_none());
  fg::session session{s.g};
  const fg::out<float> dense = dx;
  CHECK(session.run(fg::fetch(dense)).scalar() == 2.f);
}

TEST_CASE("a loss that does not depend on a handle is an error that names both, or none when that is allowed") {
  scalars s;
  const auto y = scaled(s.x, 2, {.name = "loss"});
  CHECK(fg::gradients(y, s.w, {.allow_none = true}).is_none());
  const fg::error why = refusal(s.g, [&] { fg::gradients(y, s.w); });
  CHECK(why.code() == fg::error_code::invalid_argument);
  CHECK(why.message() ==
        "the loss 'loss' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead");
  CHECK(why.where().line() == std::source_location::current().line() - 4);
}

TEST_CASE("an op without a gradient on the way is named, with its line, the path and the line of the call") {
  scalars s;
  const auto here = std::source_location::current();
  const auto rounded = fg::apply(round_op{}, scaled(s.x, 2, {.name = "twice"}), {.name = "rounded"});
  const auto y = scaled(rounded, 3, {.name = "loss"});
  const fg::error why = refusal(s.g, [&] { fg::gradients(y, s.x); });
  CHECK(why.code() == fg::error_code::invalid_argument);
  CHECK(why.message() == "op TestRound<float> of node 'rounded' (" + std::string(here.file_name()) + ":" +
                             std::to_string(here.line() + 1) +
                             ") is not differentiable; the path is x -> twice -> rounded -> loss");
  CHECK(why.where().line() == here.line() + 3);
}

TEST_CASE("an op without a gradient beside the way is no obstacle") {
  scalars s;
  const auto y = product(s.x, fg::apply(round_op{}, s.w));
  CHECK(s.at(fg::gradients(y, s.x), 1, 4) == 4.f);
}

TEST_CASE("a gradient from outside takes the place of an op's own, in this graph alone") {
  const auto body = [](const fg::node& n, std::span<const fg::any_grad> dy, fg::gradient_list& dx) {
    CHECK(n.op->name() == "TestRound");
    dx.push_back(fg::apply(scale_op{100}, fg::out<float>{dy[0].dense.source, dy[0].dense.port}));
  };
  scalars s;
  const auto y = scaled(fg::apply(round_op{}, s.x), 3);
  s.g.replace_gradient("TestRound", body);
  CHECK(s.at(fg::gradients(y, s.x), 1) == 300.f);
  CHECK((s.g.clone().replaced_gradient("TestRound") == s.g.replaced_gradient("TestRound")));
  CHECK((fg::graph().replaced_gradient("TestRound") == nullptr));

  scalars t;
  t.g.replace_gradient("TestScale",
                       [](const fg::node&, std::span<const fg::any_grad> dy, fg::gradient_list& dx) { dx.push_back(dy[0]); });
  CHECK(t.at(fg::gradients(product(scaled(t.x, 50), t.w), t.x), 1, three_times(2)) == 6.f);
}

TEST_CASE("nodes of a gradient are named after the node they serve, and belong to the line that asked") {
  scalars s;
  const auto y = product(s.x, s.w, {.name = "y"});
  const std::size_t before = s.g.size();
  const auto here = std::source_location::current();
  const auto [dx, dw] = fg::gradients(y, s.x, s.w);
  REQUIRE(s.g.size() > before);
  for (std::size_t i = before; i < s.g.size(); ++i) CHECK(s.g.at(i)->where.line() == here.line() + 1);
  CHECK(fg::out<float>(dx).name() == "gradients/y_grad/Product");
  CHECK(fg::out<float>(dw).name() == "gradients/y_grad/Product_1");
}

TEST_CASE("half numbers differentiate as others do") {
  fg::graph g;
  const auto x = source<fg::half>(g, "x", {2});
  const fg::out<fg::half> d = fg::gradients(fg::apply(product_op{}, x, x), x);
  fg::session s{g};
  const auto made = s.run(fg::fetch(d), {{x, fg::tensor<fg::half>({2}, {3.f, -1.f})}});
  CHECK(static_cast<float>(made[0]) == 6.f);
  CHECK(static_cast<float>(made[1]) == -2.f);
}

TEST_CASE("what is no loss, and handles of another graph, are refused at the user's line") {
  scalars s, t;
  const auto y = scaled(s.x, 2);
  CHECK(refusal(s.g, [&] { fg::gradients(y, t.x); }).message() ==
        "gradients with respect to x, which is not a handle of the graph of the loss");
  const fg::any_out integer[] = {source<int>(t.g, "i")}, wanted[] = {t.x};
  const auto here = std::source_location::current();
  const auto refused = fg::gradient_contributions(integer, wanted, {}, {{}, here});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message() == "a loss must be a handle on floating or complex numbers, found i");
  CHECK(refused.error().where().line() == here.line());
#ifdef FLOWGRAPH_EXCEPTIONS
  CHECK(refusal(s.g, [&] { fg::gradients(fg::out<float>(), s.x); }).message() ==
        "a loss must be a handle on floating or complex numbers, found (empty handle)");
  CHECK(refusal(s.g, [&] { fg::gradients(y, fg::out<float>()); }).message() ==
        "gradients with respect to (empty handle), which is not a handle of the graph of the loss");
#endif
}

#ifndef FLOWGRAPH_EXCEPTIONS
TEST_CASE("the gradient of a construction that failed is poison, as is one that is refused") {
  fg::graph g;
  const auto a = source<float>(g, "a", {2}), b = source<float>(g, "b", {3});
  const auto bad = fg::apply(sum_op{}, a, b, {.name = "bad"});
  const fg::out<float> d = fg::gradients(bad, a);
  CHECK(d.source->is_poison());
  CHECK(g.first_error().node() == "bad");

  scalars s;
  const fg::out<float> none = fg::gradients(scaled(s.x, 2), s.w);
  CHECK(none.source->is_poison());
  CHECK(s.g.first_error().code() == fg::error_code::invalid_argument);
}
#endif

#endif
