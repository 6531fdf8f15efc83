#include <flowgraph/ops/data_flow/tensor_array.hpp>

#include "../../core/memory.hpp"
#include "../../harness/engine_ops.hpp"
#include "../evaluate.hpp"

#include <atomic>
#include <functional>
#include <thread>

#include <flowgraph/ops/control_flow/for_range.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

using fg::error_code;
using float_array = fg::tensor_array<float>;

namespace {

const fg::tensor<float> three({3}, {1, 2, 3});

struct arrays {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {3});
  fg::out<float> row(int i) { return fg::reshape(fg::slice(x, {i}, {1}), fg::shape{}); }
  // x, element by element; an array whose elements are read as often as one likes.
  float_array filled(bool clear_after_read = false) {
    return float_array(g, 3, {.clear_after_read = clear_after_read}).write(2, row(2)).write(0, row(0)).write(1, row(1));
  }
  template <class T> error_code code(const fg::out<T>& y) {
    const auto made = fg::session{g}.try_run(fg::fetch(y), {{x, three}});
    return made ? error_code::ok : made.error().code();
  }
  template <class T> std::vector<T> run(const fg::out<T>& y) {
    fg::session s{g};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    const auto once = ops_test::values(s.run(fg::fetch(y), {{x, three}}));
    CHECK(ops_test::values(fg::tensor<T>(step(three))) == once);
    CHECK(ops_test::values(fg::tensor<T>(step(three))) == once);
    return once;
  }
};
using floats = std::vector<float>;

// Hands on an order, and a copy of a handle to the test.
struct lend_op {
  static constexpr std::string_view name = "Lend";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  std::function<void(fg::tensor<fg::resource>)> lend;
  fg::shape shape(const fg::shape&, const fg::shape& flow) const { return flow; }
  void operator()(fg::cpu ctx, fg::view<const fg::resource> handle, fg::view<const float>, fg::view<float> after) const {
    fg::tensor<fg::resource> copy{fg::shape{}};
    copy.writable()[0] = handle.scalar();
    lend(std::move(copy));
    after.scalar() = 0;
    (void)ctx;
  }
};

// An array of the squares 0, 1, ..., 7 of x, filled by a loop: a prepared step of it is one schedule.
struct squares {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  float_array made{g, 8, {.clear_after_read = false, .name = "squares"}};
  float_array full = filled(made);

  float_array filled(const float_array& empty) {
    float_array after = empty;
    after.flow = fg::for_range(0, g.constant(8), empty.flow, [&](const auto& i, const auto& flow) {
      float_array here = empty;
      here.flow = flow;
      return here.write(i, x * x).flow;
    });
    return after;
  }
};

}  // namespace

TEST_CASE("what is written is read: one by one, gathered, stacked") {
  arrays t;
  const float_array a = t.filled();
  CHECK(t.run(a.read(1)) == floats{2});
  CHECK(t.run(a.stack()) == floats{1, 2, 3});
  CHECK(t.run(a.gather(t.g.constant(fg::tensor<std::int32_t>({4}, {2, 0, 2, 1})))) == floats{3, 1, 3, 2});
  CHECK(t.run(a.size()) == std::vector<std::int32_t>{3});
  CHECK(a.stack().shape() == fg::shape{fg::any});
}

TEST_CASE("what is scattered or split is gathered, concatenated, and read") {
  arrays t;
  const auto indices = t.g.constant(fg::tensor<std::int32_t>({3}, {1, 2, 0}));
  CHECK(t.run(float_array(t.g, 3).scatter(indices, t.x).stack()) == floats{3, 1, 2});
  CHECK(t.run(float_array(t.g, 3).unstack(t.x).read(2)) == floats{3});
  const auto lengths = t.g.constant(fg::tensor<std::int64_t>({3}, {2, 0, 1}));
  const float_array parts = float_array(t.g, 3, {.clear_after_read = false, .infer_shape = false}).split(t.x, lengths);
  CHECK(t.run(parts.read(0)) == floats{1, 2});
  CHECK(t.run(parts.read(1)).empty());
  CHECK(t.run(parts.concat()) == floats{1, 2, 3});
  CHECK(t.code(float_array(t.g, 2).split(t.x, lengths).flow) == error_code::invalid_argument);
  CHECK(t.code(float_array(t.g, 2).split(t.x, t.g.constant(fg::tensor<std::int64_t>({2}, {1, 1}))).flow) ==
        error_code::invalid_argument);
  CHECK(t.code(float_array(t.g, 2).split(t.x, t.g.constant(fg::tensor<std::int64_t>({2}, {-1, 4}))).flow) ==
        error_code::invalid_argument);
  CHECK(t.code(float_array(t.g, 2).scatter(indices, t.x).flow) == error_code::invalid_argument);
}

TEST_CASE("an array can grow where it was made so") {
  arrays t;
  const float_array a(t.g, 0, {.dynamic_size = true});
  CHECK(t.run(a.write(4, t.row(0)).size()) == std::vector<std::int32_t>{5});
  CHECK(t.code(float_array(t.g, 1).write(1, t.row(0)).flow) == error_code::invalid_argument);
  CHECK(t.code(float_array(t.g, 1, {.dynamic_size = true}).write(-1, t.row(0)).flow) == error_code::invalid_argument);
  CHECK(t.code(float_array(t.g, -1).flow) == error_code::invalid_argument);
}

TEST_CASE("the elements of an array count as memory of its session, however many a graph asks for") {
  for (const std::int32_t size : {100'000, std::numeric_limits<std::int32_t>::max()}) {
    fg::graph g;
    const float_array one(g, size, {.dynamic_size = true});
    const float_array grown = float_array(g, 0, {.dynamic_size = true}).write(size - 1, g.constant(1.f));
    for (const auto& n : {one.size(), grown.size()}) {
      const auto made = fg::session{g, {.memory_limit = 1 << 20}}.try_run(fg::fetch(n));
      REQUIRE_FALSE(made.has_value());
      CHECK(made.error().code() == error_code::resource_exhausted);
      CHECK(std::string_view(made.error().what()).find("elements of the array") != std::string_view::npos);
    }
  }
}

TEST_CASE("an element is written once, and read once unless the array keeps it") {
  arrays t;
  CHECK(t.code(t.filled().write(1, t.row(0)).flow) == error_code::invalid_argument);
  const float_array keeps = t.filled(), clears = t.filled(true);
  CHECK(t.code(keeps.read(0) + keeps.read(0)) == error_code::ok);
  CHECK(t.code(clears.read(0) + clears.read(0)) == error_code::invalid_argument);
  CHECK(t.code(clears.read(3)) == error_code::invalid_argument);
  auto read = keeps.read(1);
  auto after = t.g.after(read);
  CHECK(t.code(float_array(keeps).write(1, t.row(0)).flow) == error_code::invalid_argument);
}

TEST_CASE("elements have the shape that is declared, or all that of the first") {
  arrays t;
  CHECK(t.code(float_array(t.g, 2, {.element_shape = {2}}).write(0, t.x).flow) == error_code::invalid_argument);
  CHECK(t.code(float_array(t.g, 2).write(0, t.x).write(1, t.row(0)).flow) == error_code::invalid_argument);
  const auto differ = float_array(t.g, 2, {.infer_shape = false}).write(0, t.x).write(1, t.row(0));
  CHECK(t.code(differ.read(1)) == error_code::ok);
  CHECK(t.code(differ.stack()) == error_code::invalid_argument);
  CHECK(t.code(differ.concat()) == error_code::invalid_argument);
}

TEST_CASE("an element that nobody wrote is zeros where its shape is known") {
  arrays t;
  CHECK(t.run(float_array(t.g, 2, {.element_shape = {2}}).read(1)) == floats{0, 0});
  CHECK(t.run(float_array(t.g, 2).write(0, t.x).read(1)) == floats{0, 0, 0});
  CHECK(t.code(float_array(t.g, 2).read(1)) == error_code::invalid_argument);
}

TEST_CASE("no elements are joined where their shape is declared") {
  arrays t;
  CHECK(fg::session{t.g}.run(fg::fetch(float_array(t.g, 0, {.element_shape = {2}}).stack())).shape() == fg::shape{0, 2});
  CHECK(fg::session{t.g}.run(fg::fetch(float_array(t.g, 0, {.element_shape = {4, 2}}).concat())).shape() == fg::shape{0, 2});
  CHECK(t.code(float_array(t.g, 0).stack()) == error_code::unimplemented);
  CHECK(t.code(float_array(t.g, 0).concat()) == error_code::unimplemented);
}

TEST_CASE("a closed array is of no more use") {
  arrays t;
  const float_array a = t.filled();
  auto after = t.g.after(a.close());
  CHECK(t.code(a.size()) == error_code::invalid_argument);
  CHECK(t.code(a.read(0)) == error_code::invalid_argument);
}

TEST_CASE("an op and its array have one element type") {
  arrays t;
  const float_array a = t.filled();
  CHECK(t.code(fg::tensor_array<std::int32_t>(a.handle, a.flow).read(0)) == error_code::invalid_argument);
}

TEST_CASE("strings and handles are elements like others") {
  arrays t;
  using strings = fg::tensor_array<std::string>;
  const auto word = t.g.constant(std::string("word, long enough to be somewhere else"));
  const auto both = fg::session{t.g}.run(fg::fetch(strings(t.g, 2).write(0, word).write(1, word).stack()));
  CHECK(both[1] == "word, long enough to be somewhere else");
  const fg::tensor_array<fg::resource> of_arrays = fg::tensor_array<fg::resource>(t.g, 1).write(0, t.filled().handle);
  CHECK(t.run(float_array(of_arrays.read(0), t.filled().flow).size()) == std::vector<std::int32_t>{3});
}

TEST_CASE("each iteration makes an array of its own") {
  arrays t;
  auto limit = t.g.constant(5.f), by = t.g.constant(1.f);
  const auto last = engine::loop(
      {t.g.constant(0.f)}, [&](const engine::values& v) { return engine::less(v[0], engine::invariant(limit)); },
      [&](const engine::values& v) {
        const auto step = engine::invariant(by);
        auto in_iteration = t.g.after(v[0]);
        return engine::values{engine::add(float_array(t.g, 1).write(0, v[0]).read(0), step)};
      })[0];
  fg::thread_pool pool(3);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool})
    CHECK(fg::session{t.g, {.pool = p}}.run(fg::fetch(last)).scalar() == 5.f);
}

TEST_CASE("an array ends with its run, also with one that fails and with a handle that is left") {
  arrays t;
  test::counting_memory memory;
  {
    const float_array a = t.filled();
    const auto fed = t.g.placeholder<fg::resource>("handle", {});
    const auto size = float_array(fed, t.g.constant(0.f)).size();
    fg::session s{t.g, {.memory = &memory}};
    fg::tensor<fg::resource> left;
    {
      auto [handle, sum] = s.run(fg::fetch(a.handle, fg::sum(a.stack())), {{t.x, three}});
      left = handle;
    }
    CHECK(memory.in_use() < 512);  // the handle
    const auto late = s.try_run(fg::fetch(size), {{fed, left}});
    REQUIRE_FALSE(late);
    CHECK(late.error().code() == error_code::not_found);
    const auto large = fg::fill(t.g.constant(fg::tensor<std::int32_t>({1}, {100000})), t.row(0));
    const auto failing = float_array(t.g, 2).write(0, large).write(0, large).flow;
    CHECK_FALSE(s.try_run(fg::fetch(failing), {{t.x, three}}));
    CHECK(memory.in_use() < 512);
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("what is read and what is written are each other's gradients") {
  arrays t;
  const float_array a = t.filled();
  const auto y = a.read(0) * a.read(0) * a.read(2);  // x0^2 x2
  CHECK(t.run(fg::out<float>(fg::gradients(y, t.x))) == floats{6, 0, 1});
}

TEST_CASE("stacked and unstacked arrays have gradients") {
  arrays t;
  const float_array in = float_array(t.g, 3, {.clear_after_read = false}).unstack(t.x);
  const auto y = fg::sum(float_array(t.g, 2).write(0, in.read(0) * in.read(1)).write(1, in.read(2) * in.read(2)).stack() *
                         t.g.constant(fg::tensor<float>({2}, {1, 10})));
  CHECK(t.run(fg::out<float>(fg::gradients(y, t.x))) == floats{2, 1, 60});
}

TEST_CASE("split and concatenated arrays have gradients") {
  arrays t;
  const auto lengths = t.g.constant(fg::tensor<std::int64_t>({2}, {1, 2}));
  const float_array parts = float_array(t.g, 2, {.infer_shape = false}).split(t.x, lengths);
  const auto whole = parts.concat();
  CHECK(t.run(fg::out<float>(fg::gradients(fg::sum(whole * whole), t.x))) == floats{2, 4, 6});
}

TEST_CASE("calls for gradients have arrays of their own, in one run too") {
  arrays t;
  const float_array a = t.filled();
  const auto y = a.read(0) * a.read(1), z = a.read(0) * a.read(2);
  const fg::out<float> dy = fg::gradients(y, t.x), dz = fg::gradients(z, t.x);
  const auto [first, second] = fg::session{t.g}.run(fg::fetch(dy, dz), {{t.x, three}});
  CHECK(ops_test::values(first) == floats{2, 1, 0});
  CHECK(ops_test::values(second) == floats{3, 0, 1});
}

TEST_CASE("a gradient of an element is zeros, or the sum of what was written, in an order that no thread decides") {
  arrays t;
  const float_array a = t.filled();
  const auto [handle, flow] = fg::apply(fg::tensor_array_grad_v3_op{"mine"}, a.handle, a.flow);
  CHECK(t.run(float_array(handle, flow).read(1)) == floats{0});
  std::vector<fg::target> parts;
  for (const float part : {1e8f, 1.f, -1e8f, 3.f, 1e-3f})
    parts.push_back(fg::apply(fg::tensor_array_write_v3_op{}, handle, t.g.constant(0), t.g.constant(part), flow));
  auto after = t.g.after_all(parts);
  const auto sum = float_array(handle, fg::identity(flow)).read(0);
  const float expected = (((1e8f + 1.f) + -1e8f) + 3.f) + 1e-3f;
  fg::thread_pool pool(4);
  for (int i = 0; i < 50; ++i) CHECK(fg::session{t.g, {.pool = &pool}}.run(fg::fetch(sum), {{t.x, three}}).scalar() == expected);
  CHECK(t.run(sum) == floats{expected});
}

TEST_CASE("arrays of gradients have one source each, elements of one shape, and gradients of their own") {
  arrays t;
  const float_array a = t.filled();
  const auto [handle, flow] = fg::apply(fg::tensor_array_grad_v3_op{"mine"}, a.handle, a.flow);
  const auto [again, later] = fg::apply(fg::tensor_array_grad_v3_op{"mine"}, a.handle, flow);
  CHECK(t.run(float_array(again, float_array(handle, later).write(1, t.row(2)).flow).read(1)) == floats{3});
  CHECK(t.code(float_array(handle, flow).write(1, t.x).flow) == error_code::invalid_argument);
  CHECK(t.code(std::get<1>(fg::apply(fg::tensor_array_grad_v3_op{"more"}, handle, flow))) == error_code::ok);
  const auto wide =
      fg::apply(fg::tensor_array_grad_with_shape_op{"wide"}, a.handle, a.flow, t.g.constant(fg::tensor<std::int32_t>({1}, {2})));
  CHECK(t.run(float_array(std::get<0>(wide), std::get<1>(wide)).read(1)) == floats{0, 0});
}

TEST_CASE("in a prepared step arrays are made anew for each run: what a caller holds of another run has ended") {
  squares t;
  test::counting_memory memory;
  fg::session s{t.g, {.memory = &memory}};
  const auto given = t.g.placeholder<fg::resource>("given", {});
  const auto element = float_array(given, t.g.constant(0.f)).read(1);
  auto step = s.prepare(fg::feed(t.x), fg::fetch(t.full.stack(), t.full.handle));
  auto quiet = s.prepare(fg::feed(t.x), fg::fetch(t.full.stack()));
  CHECK(step.plan().queued.empty());
  std::vector<fg::tensor<fg::resource>> held;
  for (float x = 1; x < 20; ++x) {
    auto [y, handle] = step(x);
    CHECK(ops_test::values(fg::tensor<float>(y)) == floats(8, x * x));
    if (static_cast<int>(x) % 3 == 0) held.push_back(handle);
    const auto late = s.try_run(fg::fetch(element), {{given, fg::tensor<fg::resource>(handle)}});
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().code() == error_code::not_found);
    CHECK(late.error().message().find("'squares_") != std::string_view::npos);
  }
  for (int i = 0; i < 8; ++i) quiet(3.f);
  const std::size_t warm = memory.allocations();
  for (int i = 0; i < 200; ++i) CHECK(quiet(3.f)[7] == 9.f);
  CHECK(memory.allocations() == warm);
}

TEST_CASE("a prepared step with arrays but without a loop or a branch is one schedule, and allocates nothing") {
  arrays t;
  const auto y = t.filled().stack();
  fg::out<float> slope = fg::gradients(fg::sum(y * y), t.x);
  test::counting_memory memory;
  fg::session s{t.g, {.memory = &memory}};
  auto step = s.prepare(fg::feed(t.x), fg::fetch(y, slope));
  CHECK(step.plan().queued.empty());
  std::size_t warm = 0;
  for (int i = 0; i < 100; ++i) {
    if (i == 8) warm = memory.allocations();
    const auto [values, slopes] = step(three);
    CHECK(ops_test::values(fg::tensor<float>(values)) == floats{1, 2, 3});
    CHECK(ops_test::values(fg::tensor<float>(slopes)) == floats{2, 4, 6});
  }
  CHECK(memory.allocations() == warm);
}

TEST_CASE("an array of a prepared step that runs is not for other runs, and its last handle may go on any thread at any time") {
  squares t;
  const auto given = t.g.placeholder<fg::resource>("given", {});
  const auto element = float_array(given, t.g.constant(0.f)).read(1);
  fg::tensor<fg::resource> lent;
  std::atomic<error_code> found = error_code::ok;
  std::thread late;
  fg::session s{t.g};
  float_array lender = t.full;
  lender.flow = fg::apply(lend_op{[&](fg::tensor<fg::resource> handle) {
                            std::thread([&, handle]() mutable {
                              const auto made = s.try_run(fg::fetch(element), {{given, handle}});
                              found = made ? error_code::ok : made.error().code();
                            }).join();
                            late = std::thread([handle = std::move(handle)]() mutable { handle = {}; });
                          }},
                          t.full.handle, t.full.flow);
  auto step = s.prepare(fg::feed(t.x), fg::fetch(lender.stack()));
  CHECK(step.plan().queued.empty());
  for (float x = 1; x < 60; ++x) {
    CHECK(ops_test::values(fg::tensor<float>(step(x))) == floats(8, x * x));
    CHECK(found == error_code::failed_precondition);
    late.join();
  }
}

TEST_CASE("gradients through arrays of a loop are the same in each call of a prepared step, and allocate nothing") {
  squares t;
  test::counting_memory memory;
  fg::session s{t.g, {.memory = &memory}};
  const auto total = fg::sum(t.full.stack());
  fg::out<float> slope = fg::gradients(total, t.x);
  fg::out<float> curve = fg::gradients(slope, t.x);
  auto step = s.prepare(fg::feed(t.x), fg::fetch(total, slope, curve));
  CHECK(step.plan().queued.empty());
  std::size_t warm = 0;
  for (int i = 0; i < 100; ++i) {
    if (i == 8) warm = memory.allocations();
    const auto x = static_cast<float>(i % 5);
    const auto [y, dy, ddy] = step(x);
    CHECK(y.scalar() == 8 * x * x);
    CHECK(dy.scalar() == 16 * x);
    CHECK(ddy.scalar() == 16.f);
  }
  CHECK(memory.allocations() == warm);
}
