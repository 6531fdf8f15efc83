// Every form that an op can have, written as a user writes it and run through a session.

#include <flowgraph/op/kernel.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace fg = flowgraph;

namespace {

template <class T> std::vector<T> values(const fg::tensor<T>& t) { return {t.begin(), t.end()}; }

// ---- element types, attributes, a shape rule that reads a constant

// x, n times. Where n is a constant the shape is known when the graph is built.
struct repeat {
  static constexpr std::string_view name = "Repeat";
  using types = fg::type_attrs<fg::type_attr<"T", fg::all_types>, fg::type_attr<"Tn", fg::index_types>>;
  static constexpr fg::op_facts facts{.not_differentiable = true};

  constexpr fg::shape shape(fg::shape_context& c, const fg::shape& x, const fg::shape& n) const {
    if (x.rank != 1 || n.rank > 0) return c.fail("expected a vector and a scalar");
    const fg::shape times = c.integers(1);
    return {times.rank == 1 && x[0] >= 0 ? times[0] * x[0] : -1};
  }
  template <class T, class N> void operator()(fg::cpu, fg::view<const T> x, fg::view<const N>, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i % x.size()];
  }
};

enum class case_of : std::uint8_t { lower, upper };
constexpr std::array<std::string_view, 2> attribute_names(case_of) { return {"LOWER", "UPPER"}; }

// Says its own attributes, one of every kind.
struct describe {
  static constexpr std::string_view name = "Describe";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::int64_t integer = 1;
  float real = 0.5f;
  bool flag = false;
  std::string text = "t";
  fg::dtype type = fg::dtype::float32;
  fg::shape extents{};
  fg::any_tensor tensor{};
  fg::function_name function{};
  case_of letters = case_of::lower;
  std::vector<std::int64_t> integers{};
  std::vector<std::string> texts{};
  std::vector<fg::dtype> kinds{};
  static constexpr auto attrs = fg::attrs(
      fg::attr("integer", &describe::integer), fg::attr("real", &describe::real), fg::attr("flag", &describe::flag),
      fg::attr("text", &describe::text), fg::attr("type", &describe::type), fg::attr("extents", &describe::extents),
      fg::attr("tensor", &describe::tensor), fg::attr("function", &describe::function), fg::attr("letters", &describe::letters),
      fg::attr("integers", &describe::integers), fg::attr("texts", &describe::texts), fg::attr("kinds", &describe::kinds));

  fg::shape shape() const { return {}; }
  void operator()(fg::cpu ctx, fg::view<std::string> y) const {
    std::string& all = y.scalar();
    all.clear();
    const fg::op_table& table = fg::table_of<describe>;
    for (const fg::attribute_info& a : table.attributes()) all += std::string(a.name) + '=' + to_string(a.get(this)) + ' ';
    if (ctx.at()) all += ctx.at()->name;
  }
};

// ---- lists

struct total {
  static constexpr std::string_view name = "Total";
  using types = fg::numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(fg::shape_context& c, std::span<const fg::shape> x) const {
    return x.empty() ? c.fail("expected at least one input") : x[0];
  }
  template <class T> void operator()(fg::cpu, fg::view_list<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) {
      T sum = x[0][i];
      for (std::size_t k = 1; k < x.size(); ++k) sum = static_cast<T>(sum + x[k][i]);
      y[i] = sum;
    }
  }
};

// Cuts a vector into as many pieces as the op says, and hands a list of any types on.
struct cut {
  static constexpr std::string_view name = "Cut";
  using types = fg::numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::int64_t pieces = 1;
  std::vector<fg::dtype> rest{};
  static constexpr auto attrs = fg::attrs(fg::required("pieces", &cut::pieces), fg::attr("rest", &cut::rest));

  std::size_t output_count() const { return static_cast<std::size_t>(pieces); }
  const std::vector<fg::dtype>& output_types() const { return rest; }
  fg::shape_list shape(const fg::shape& x, std::span<const fg::shape>) const {
    return fg::shape_list(output_count(), fg::shape{x[0] < 0 ? -1 : x[0] / pieces});
  }
  template <class T>
  void operator()(fg::cpu, fg::view<const T> x, fg::any_list others, fg::view_list<T> y, fg::any_output_list rest_out) const {
    for (std::size_t p = 0; p < y.size(); ++p)
      for (std::size_t i = 0; i < y[p].size(); ++i) y[p][i] = x[p * y[p].size() + i];
    for (std::size_t i = 0; i < others.size(); ++i) rest_out.share(i, others[i]);
  }
};

// ---- sizes known when the kernel has run, several outputs, scratch

struct above {
  static constexpr std::string_view name = "Above";
  using types = fg::real_numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  float limit = 0;
  std::array<fg::shape, 2> shape(const fg::shape&) const { return {fg::shape{fg::any}, fg::shape{}}; }
  std::size_t scratch(const fg::shape& x) const { return static_cast<std::size_t>(x.size()) * sizeof(std::int64_t); }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::unsized<T> y, fg::view<std::int64_t> count) const {
    auto* found = ctx.scratch<std::int64_t>();
    std::int64_t n = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (static_cast<float>(x[i]) > limit) found[n++] = static_cast<std::int64_t>(i);
    count.scalar() = n;
    const fg::view<T> made = y.resize({n});
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = x[static_cast<std::size_t>(found[i])];
  }
};

// ---- state

struct tally final : fg::resource_base {
  tally() : resource_base(fg::kind_of<tally>()) {}
  std::atomic<std::int64_t> runs{0};
};

struct count_runs {
  static constexpr std::string_view name = "CountRuns";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  std::string slot = "runs";
  fg::shape shape() const { return {}; }
  void operator()(fg::cpu ctx, fg::view<std::int64_t> y) const {
    const auto found =
        ctx.resources().find_or_make("", slot, fg::kind_of<tally>(), []() -> fg::resource_base* { return new tally; });
    if (!found) return ctx.fail(found.error());
    y.scalar() = ++found->as<tally>()->runs;
  }
};

// ---- asynchronous

struct later {
  static constexpr std::string_view name = "Later";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::thread_pool* pool = nullptr;
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y, fg::done answer) const {
    pool->submit([x, y, answer = std::move(answer)]() mutable {
      if (static_cast<float>(x[0]) < 0) return answer(fg::error(fg::error_code::out_of_range, "negative"));
      for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(x[i] * T(2));
      answer();
    });
  }
};

// ---- differentiable, its kernel on the CPU; another comes with a device

struct cube {
  using types = fg::floating;
  static constexpr fg::op_facts base_facts{.in_place = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), 16, [&](std::int64_t first, std::int64_t last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
        y[i] = static_cast<T>(x[i] * x[i] * x[i]);
    });
  }
};
struct cube_grad {
  static constexpr std::string_view name = "CubeGrad";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x, const fg::shape&) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<const T> dy, fg::view<T> dx) const {
    for (std::size_t i = 0; i < x.size(); ++i) dx[i] = static_cast<T>(T(3) * x[i] * x[i] * dy[i]);
  }
};
struct smooth_cube : cube {
  static constexpr std::string_view name = "SmoothCube";
  template <class T> fg::out<T> gradient(fg::out<T> x, fg::out<T>, fg::out<T> dy) const { return fg::apply(cube_grad{}, x, dy); }
};
struct rough_cube : cube {
  static constexpr std::string_view name = "RoughCube";
  static constexpr fg::op_facts facts{.not_differentiable = true};
};

void cube_on_accelerator(const void*, fg::detail::kernel_call& call) {
  const auto x = call.inputs[0]->tensor.as<float>();
  const auto y = call.outputs[0]->tensor.as_writable<float>();
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * x[i] * x[i] + 1000;
}

}  // namespace

// A rule runs at compile time as well.
static_assert([] {
  fg::shape_context c;
  return repeat{}.shape(c, fg::shape{3}, fg::shape{}) == fg::shape{fg::any} && !c.failed();
}());

TEST_CASE("op form: several type attributes, and a shape rule that reads a constant") {
  fg::graph g;
  const auto x = g.placeholder<std::string>("x", {2});
  const auto n = g.placeholder<std::int64_t>("n", {});
  const auto fixed = fg::apply(repeat{}, x, g.constant(std::int32_t{3}));
  const auto fed = fg::apply(repeat{}, x, n);
  CHECK(fixed.shape() == fg::shape{6});
  CHECK(fed.shape() == fg::shape{fg::any});
  fg::session s{g};
  const fg::tensor<std::string> ab({2}, {"a", "b"});
  CHECK(values<std::string>(s.run(fg::fetch(fixed), {{x, ab}})) == std::vector<std::string>{"a", "b", "a", "b", "a", "b"});
  CHECK(values<std::string>(s.run(fg::fetch(fed), {{x, ab}, {n, std::int64_t{2}}})) ==
        std::vector<std::string>{"a", "b", "a", "b"});
  CHECK(s.run(fg::fetch(fed), {{x, ab}, {n, std::int64_t{0}}}).size() == 0);
}

TEST_CASE("op form: attributes of every kind") {
  fg::graph g;
  describe op;
  op.extents = {2, fg::any};
  op.tensor = fg::tensor<int>({1}, {7}).erased();
  op.function = {"body"};
  op.letters = case_of::upper;
  op.integers = {1, 2};
  op.texts = {"a"};
  op.kinds = {fg::dtype::string};
  const auto y = fg::apply_in<>(g, op, {.name = "me"});
  fg::session s{g};
  CHECK(s.run(fg::fetch(y)).scalar() ==
        "integer=1 real=0.5 flag=false text=\"t\" type=float extents=[2,?] tensor=int32[1] function=body letters=\"UPPER\" "
        "integers=[1, 2] texts=[\"a\"] kinds=[string] me");
}

TEST_CASE("op form: a list of inputs, of any length") {
  fg::graph g;
  const auto x = g.placeholder<int>("x", {2});
  fg::session s{g};
  for (const int n : {1, 2, 9}) {
    const auto y = fg::apply(total{}, fg::out_list<int>(static_cast<std::size_t>(n), x));
    CHECK(values<int>(s.run(fg::fetch(y), {{x, fg::tensor<int>({2}, {3, -1})}})) == std::vector<int>{3 * n, -n});
  }
}

TEST_CASE("op form: a list of outputs, and lists of any types") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto text = g.constant(fg::tensor<std::string>("text"));
  const auto number = g.constant(7);
  const auto [pieces, rest] = fg::apply(cut{2, {fg::dtype::string, fg::dtype::int32}}, x, fg::any_out_list{text, number});
  REQUIRE(pieces.size() == 2);
  REQUIRE(rest.size() == 2);
  fg::session s{g};
  const fg::tensor<float> in({4}, {1, 2, 3, 4});
  const auto [first, second] = s.run(fg::fetch(pieces[0], pieces[1]), {{x, in}});
  CHECK(values(first) == std::vector<float>{1, 2});
  CHECK(values(second) == std::vector<float>{3, 4});
  const std::vector<fg::fed> feeds = {{x, in}};
  const auto erased = s.try_run(fg::run_request{feeds, rest, {}});
  REQUIRE(erased.has_value());
  CHECK((*erased)[0].as<std::string>().scalar() == "text");
  CHECK((*erased)[1].as<int>().scalar() == 7);
}

TEST_CASE("op form: an output whose size is known when the kernel has run, beside one of known size") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto [y, count] = fg::apply(above{1.5f}, x);
  const auto twice = fg::apply(total{}, fg::out_list<float>{y, y});
  fg::session s{g};
  const auto [kept, n] = s.run(fg::fetch(twice, count), {{x, fg::tensor<float>({4}, {1, 2, 0, 3})}});
  CHECK(values(kept) == std::vector<float>{4, 6});
  CHECK(n.scalar() == 2);
  const auto [none, zero] = s.run(fg::fetch(twice, count), {{x, fg::tensor<float>(fg::shape{3})}});
  CHECK(none.size() == 0);
  CHECK(zero.scalar() == 0);
}

TEST_CASE("op form: state that outlives the run, shared by sessions with one container") {
  fg::graph g;
  const auto n = fg::apply_in<>(g, count_runs{});
  fg::container shared;
  fg::session a{g, {.resources = &shared}}, b{g, {.resources = &shared}}, own{g};
  CHECK(a.run(fg::fetch(n)).scalar() == 1);
  CHECK(a.run(fg::fetch(n)).scalar() == 2);
  CHECK(b.run(fg::fetch(n)).scalar() == 3);
  CHECK(own.run(fg::fetch(n)).scalar() == 1);
  shared.clear();
  CHECK(a.run(fg::fetch(n)).scalar() == 1);
}

TEST_CASE("op form: an asynchronous kernel answers from another thread, with a value or an error") {
  fg::thread_pool pool(2);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1});
  const auto y = fg::apply(later{&pool}, fg::apply(later{&pool}, x), {.name = "second"});
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{x, fg::tensor<float>({1}, {3})}}).scalar() == 12.f);
  const auto failed = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({1}, {-1})}});
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().code() == fg::error_code::out_of_range);
  CHECK(failed.error().node() == "Later");
  CHECK(s.run(fg::fetch(y), {{x, fg::tensor<float>({1}, {1})}}).scalar() == 4.f);
}

TEST_CASE("op form: a kernel in blocks gives the same for any number of threads") {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {100});
  const auto y = fg::apply(rough_cube{}, x);
  fg::thread_pool pool(3);
  fg::session alone{g}, pooled{g, {.pool = &pool}};
  fg::tensor<double> in(fg::shape{100});
  for (std::size_t i = 0; i < 100; ++i) in.writable()[i] = 0.1 * static_cast<double>(i);
  const auto a = alone.run(fg::fetch(y), {{x, in}}), b = pooled.run(fg::fetch(y), {{x, in}});
  CHECK(values<double>(a) == values<double>(b));
  CHECK(a[10] == doctest::Approx(1.0));
}

TEST_CASE("op form: a kernel for another kind of device comes with the device, the op knows nothing of it") {
  fg::device accelerator("accel");
  REQUIRE(accelerator.add("RoughCube", {fg::dtype::float32}, &cube_on_accelerator));
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1});
  const auto here = fg::apply(rough_cube{}, x);
  const auto on = g.on_device("/device:accel:0");
  const auto there = fg::apply(rough_cube{}, x);
  const fg::device* const devices[] = {&accelerator};
  fg::session s{g, {.devices = devices}};
  const auto [a, b] = s.run(fg::fetch(here, there), {{x, fg::tensor<float>({1}, {2})}});
  CHECK(a.scalar() == 8.f);
  CHECK(b.scalar() == 1008.f);
}

#ifndef FLOWGRAPH_INFERENCE

TEST_CASE("op form: a gradient of its own, from outside where it has none, and in place of its own") {
  const auto from_outside = [](const fg::node& n, std::span<const fg::any_grad> dy, fg::gradient_list& dx) {
    const fg::out<float> x{n.inputs[0].from, n.inputs[0].port}, d{dy[0].dense.source, dy[0].dense.port};
    dx.push_back(fg::apply(cube_grad{}, x, fg::apply(total{}, fg::out_list<float>{d, d})));
  };
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto smooth = fg::apply(smooth_cube{}, x), rough = fg::apply(rough_cube{}, x);
  const fg::out<float> own = fg::gradients(smooth, x);
  g.replace_gradient("RoughCube", from_outside);
  g.replace_gradient("SmoothCube", from_outside);
  const fg::out<float> given = fg::gradients(rough, x), replaced = fg::gradients(smooth, x);
  fg::session s{g};
  const auto [a, b, c] = s.run(fg::fetch(own, given, replaced), {{x, 2.f}});
  CHECK(a.scalar() == 12.f);
  CHECK(b.scalar() == 24.f);
  CHECK(c.scalar() == 24.f);
}

#endif
