#include <flowgraph/core/error.hpp>

#include <flowgraph/op/device.hpp>
#include "../../harness/engine_ops.hpp"
#include "../../harness/ways.hpp"

using namespace engine;

namespace {

// A back edge from a node that is no NextIteration.
struct cycle {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> a = add(x, x, {.name = "a"});
  fg::out<float> b = add(a, a, {.name = "b"});
  cycle() { g.set_back_edge(a.source, 1, b); }
};

// Ops of which only other devices have kernels.
struct only_declared_op {
  static constexpr std::string_view name = "OnlyDeclared";
  using types = fg::type_list<float, double>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> using signature = void(fg::view<const T>, fg::view<T>);
};

void add_one(const void*, fg::detail::kernel_call& call) {
  *static_cast<float*>(call.outputs[0]->tensor.data()) = 1 + *call.inputs[0]->tensor.as<float>().data();
}

}  // namespace

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("errors: run throws what try_run returns") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = failing(x, {.name = "y"});
  fg::session s{g};
  CHECK_THROWS_AS(s.run(fg::fetch(y), {{x, 1.f}}), fg::error);
  CHECK_THROWS_AS(s.run(y, {{x, 1.f}}), fg::error);
  CHECK_THROWS_AS(s.prepare(fg::feed(), fg::fetch(y)), fg::error);
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  CHECK_THROWS_AS(step(1.f), fg::error);
  try {
    s.run(fg::fetch(y), {{x, 1.f}});
  } catch (const std::exception& e) { CHECK(std::string(e.what()) == s.try_run(fg::fetch(y), {{x, 1.f}}).error().what()); }
}
#endif

TEST_CASE("errors: a placeholder that is not fed is named with its type and shape") {
  ways w;
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 3});
  const unsigned line = __LINE__ - 1;
  auto y = add(x, x);
  w.each(g, [&](fg::session& s) {
    const fg::error why = s.try_run(fg::fetch(y)).error();
    check_error(why, error_code::invalid_argument, "x", "Placeholder", {"feed", "'x'", "float", "[?,3]"});
    check_place(why, line, __FILE__);
    CHECK(s.try_run(fg::fetch(y), {{x, fg::tensor<float>({1, 3}, {1.f, 2.f, 3.f})}}).has_value());
  });
}

TEST_CASE("errors: a feed of another type or shape than the edge says both") {
  ways w;
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 3});
  const unsigned line = __LINE__ - 1;
  auto y = add(x, x);
  w.each(g, [&](fg::session& s) {
    const fg::any_out fetches[]{y};
    const fg::fed integers[]{{fg::any_out(x), fg::tensor<std::int32_t>({1, 3}, {1, 2, 3}).erased()}};
    const fg::error type = s.try_run(fg::run_request{integers, fetches, {}}).error();
    check_error(type, error_code::invalid_argument, "x", "Placeholder", {"'x'", "float", "int32"});
    check_place(type, line, __FILE__);
    const fg::error shape = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({2, 2}, {1.f, 2.f, 3.f, 4.f})}}).error();
    check_error(shape, error_code::invalid_argument, "x", "Placeholder", {"'x'", "[?,3]", "[2,2]"});
    const fg::fed empty[]{{fg::any_out(x), fg::any_tensor()}};
    CHECK(s.try_run(fg::run_request{empty, fetches, {}}).error().code() == error_code::invalid_argument);
  });
}

TEST_CASE("errors: a feed of an edge that is not a placeholder is checked against what is known of it") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto middle = add(x, x, {.name = "middle"});
  auto y = add(middle, middle);
  fg::session s{g};
  check_error(s.try_run(fg::fetch(y), {{middle, zeros(3)}}).error(), error_code::invalid_argument, "middle", "TestAdd",
              {"[2]", "[3]"});
}

TEST_CASE("errors: an edge fed twice in one run") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = add(x, x);
  fg::session s{g};
  const fg::error why = s.try_run(fg::fetch(y), {{x, 1.f}, {x, 2.f}}).error();
  CHECK(why.code() == error_code::invalid_argument);
  CHECK(std::string(why.what()).find("'x' is fed twice") != std::string::npos);
}

TEST_CASE("errors: names that the graph does not have") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  failing(x, {.name = "y"});
  fg::session s{g};
  auto refused = [&](const fg::named_run& r) { return s.try_run(r).error(); };
  const fg::any_tensor one = fg::tensor<float>(1.f).erased();
  check_error(refused({{}, {"nothing:0"}, {}}), error_code::not_found, "", "", {"'nothing'"});
  check_error(refused({{{"nothing", one}}, {"y"}, {}}), error_code::not_found, "", "", {"'nothing'"});
  check_error(refused({{{"x", one}}, {}, {"nothing"}}), error_code::not_found, "", "", {"'nothing'"});
  check_error(refused({{}, {"x:1"}, {}}), error_code::invalid_argument, "", "", {"'x'", "1 outputs", "x:1"});
  check_error(refused({{}, {"x:port"}, {}}), error_code::invalid_argument, "", "", {"name:port"});
  check_error(refused({{}, {"x:99999999999999"}, {}}), error_code::invalid_argument, "", "", {"name:port"});
}

TEST_CASE("errors: handles that are empty, of another graph, or name an output that is not there") {
  fg::graph g, other;
  auto x = g.placeholder<float>("x", {});
  auto z = other.placeholder<float>("z", {});
  fg::session s{g};
  auto refused = [&](const fg::run_request& r) { return s.try_run(r).error(); };
  const fg::any_out empty[]{{}}, foreign[]{z}, beyond[]{{x.source, 1}};
  const fg::fed fed_foreign[]{{z, 1.f}};
  const fg::target no_target[]{{}}, foreign_target[]{z};
  CHECK(refused({{}, empty, {}}).code() == error_code::invalid_argument);
  CHECK(refused({{}, {}, no_target}).code() == error_code::invalid_argument);
  check_error(refused({{}, foreign, {}}), error_code::invalid_argument, "", "", {"'z'", "another graph"});
  check_error(refused({fed_foreign, {}, {}}), error_code::invalid_argument, "", "", {"'z'", "another graph"});
  check_error(refused({{}, {}, foreign_target}), error_code::invalid_argument, "", "", {"'z'", "another graph"});
  check_error(refused({{}, beyond, {}}), error_code::invalid_argument, "", "", {"'x'", "no output 1"});
}

TEST_CASE("errors: a shape rule that refuses at run time names the inputs and what it found") {
  ways w;
  fg::graph g;
  auto a = g.placeholder<float>("a", {fg::any});
  auto b = g.placeholder<float>("b", {fg::any});
  auto y = add(a, b, {.name = "y"});
  const unsigned line = __LINE__ - 1;
  w.each(g, [&](fg::session& s) {
    const fg::error why = s.try_run(fg::fetch(y), {{a, zeros(2)}, {b, zeros(3)}}).error();
    check_error(why, error_code::invalid_argument, "y", "TestAdd", {"expected equal shapes", "a float[2]", "b float[3]"});
    check_place(why, line, __FILE__);
    auto step = s.prepare(fg::feed(a, b), fg::fetch(y));
    check_error(step.try_run({}, zeros(2), zeros(3)).error(), error_code::invalid_argument, "y", "TestAdd",
                {"expected equal shapes", "a float[2]", "b float[3]"});
    CHECK(step.try_run({}, zeros(2), zeros(2)).has_value());
  });
}

TEST_CASE("errors: a failing kernel names node, op and the user's line, and stops what follows") {
  ways w;
  fg::graph g;
  std::atomic<int> after = 0;
  auto x = g.placeholder<float>("x", {});
  auto twice = add(x, x);
  auto in = g.in_scope("scope");
  auto y = failing(x, {.name = "bad"});
  const unsigned line = __LINE__ - 1;
  auto z = counted(y, after);
  w.each(g, [&](fg::session& s) {
    const fg::error why = s.try_run(fg::fetch(z), {{x, 1.f}}).error();
    check_error(why, error_code::data_loss, "scope/bad", "Probe", {"the kernel refuses"});
    check_place(why, line, __FILE__);
    check_usable(s, x, twice);
  });
  CHECK(after == 0);
}

TEST_CASE("errors: the first reason that a kernel gives counts") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = probe(x, [](fg::cpu ctx) {
    ctx.fail(error_code::out_of_range, "first");
    CHECK(ctx.failed());
    ctx.fail(error_code::internal, "second");
  });
  fg::session s{g};
  check_error(s.try_run(fg::fetch(y), {{x, 1.f}}).error(), error_code::out_of_range, "Probe", "Probe", {"first"});
}

TEST_CASE("errors: inside a loop the iteration is named") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  int runs = 0;
  unsigned line = 0;
  auto y = loop(
      {x}, [&](const values& v) { return less(v[0], invariant(g.constant(100.f))); },
      [&](const values& v) {
        auto refuse = [&](fg::cpu ctx) {
          if (runs++ == 3) ctx.fail(error_code::data_loss, "enough");
        };
        line = __LINE__ + 1;
        auto bad = probe(v[0], refuse, {.name = "bad"});
        return values{add(bad, invariant(g.constant(1.f)))};
      })[0];
  fg::session s{g};
  for (int round = 0; round < 2; ++round) {
    runs = 0;
    const fg::error why = s.try_run(fg::fetch(y), {{x, 0.f}}).error();
    check_error(why, error_code::data_loss, "bad, iteration 3 of loop", "Probe", {"enough"});
    check_place(why, line, __FILE__);
  }
  runs = 1000;
  CHECK(s.run(fg::fetch(y), {{x, 0.f}}).scalar() == 100.f);
}

TEST_CASE("errors: fetching the side of a Switch that was not taken") {
  ways w;
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto p = g.placeholder<bool>("p", {});
  const auto b = fg::switch_(x, p);
  auto y = add(b.if_true, x, {.name = "y"});
  const unsigned line = __LINE__ - 1;
  w.each(g, [&](fg::session& s) {
    const fg::error why = s.try_run(fg::fetch(y), {{x, 1.f}, {p, false}}).error();
    check_error(why, error_code::invalid_argument, "y", "TestAdd", {"dead", "not taken"});
    check_place(why, line, __FILE__);
    CHECK(s.run(fg::fetch(y), {{x, 1.f}, {p, true}}).scalar() == 2.f);
    CHECK(s.try_run(y, {{x, 1.f}, {p, false}}).has_value());  // a dead target is no error
  });
}

TEST_CASE("errors: the condition of a Switch must be one boolean") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto p = g.placeholder<bool>("p", fg::shape::unknown());
  const auto b = fg::switch_(x, p, {.name = "s"});
  const unsigned line = __LINE__ - 1;
  fg::session s{g};
  for (const std::size_t n : {0u, 2u}) {
    const fg::error why = s.try_run(fg::fetch(b.if_false), {{x, 1.f}, {p, fg::tensor<bool>(fg::shape{n})}}).error();
    check_error(why, error_code::invalid_argument, "s", "Switch", {"scalar", fg::to_string(fg::shape{n})});
    check_place(why, line, __FILE__);
  }
  CHECK(s.run(fg::fetch(b.if_false), {{x, 1.f}, {p, false}}).scalar() == 1.f);
}

TEST_CASE("errors: a cycle that is no loop is refused") {
  cycle c;
  fg::session s{c.g};
  const fg::error why = s.try_run(fg::fetch(c.b), {{c.x, 1.f}}).error();
  check_error(why, error_code::invalid_argument, "a", "TestAdd", {"cycle", "'a'", "'b'"});
  CHECK(s.run(fg::fetch(c.b), {{c.a, 1.f}}).scalar() == 2.f);  // a feed cuts it
}

TEST_CASE("errors: NextIteration and Exit outside of a loop are refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto next = fg::apply(fg::next_iteration_op{}, x, fg::site{"next"});
  auto out = fg::apply(fg::exit_op{}, x, fg::site{"out"});
  fg::session s{g};
  check_error(s.try_run(fg::fetch(next), {{x, 1.f}}).error(), error_code::invalid_argument, "next", "NextIteration", {"loop"});
  check_error(s.try_run(fg::fetch(out), {{x, 1.f}}).error(), error_code::invalid_argument, "out", "Exit", {"loop"});
}

TEST_CASE("errors: a node fed from two frames") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto inside = enter(x, {.name = "first"}, {.name = "inside"});
  auto elsewhere = enter(x, {.name = "second"}, {.name = "elsewhere"});
  auto outer = add(inside, x, {.name = "outer"});
  const unsigned line = __LINE__ - 1;
  auto both = add(inside, elsewhere, {.name = "both"});
  fg::session s{g};
  const fg::error why = s.try_run(outer, {{x, 1.f}}).error();
  check_error(why, error_code::invalid_argument, "outer", "TestAdd", {"two frames", "'first'", "'inside'", "'x'"});
  check_place(why, line, __FILE__);
  check_error(s.try_run(both, {{x, 1.f}}).error(), error_code::invalid_argument, "both", "TestAdd", {"'first'", "'second'"});
}

TEST_CASE("errors: what is inside a loop can neither be fetched nor fed") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto n = g.placeholder<float>("n", {});
  fg::out<float> inside;
  auto y = loop(
      {x}, [&](const values& v) { return less(v[0], invariant(n)); },
      [&](const values& v) {
        inside = add(v[0], invariant(x), {.name = "inside"});
        return values{add(inside, invariant(x), {.name = "next"})};
      })[0];
  fg::session s{g};
  check_error(s.try_run(fg::fetch(inside), {{x, 1.f}, {n, 4.f}}).error(), error_code::invalid_argument, "inside", "TestAdd",
              {"'inside'", "'loop'", "fetched"});
  check_error(s.try_run(fg::fetch(y), {{x, 1.f}, {n, 4.f}, {inside, 1.f}}).error(), error_code::invalid_argument, "inside",
              "TestAdd", {"'inside' is inside the loop 'loop' and cannot be fed"});
  CHECK(s.run(fg::fetch(y), {{x, 1.f}, {n, 4.f}}).scalar() == 5.f);
}

TEST_CASE("errors: an uninitialised variable is named with the way out") {
  ways w;
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f));
  const unsigned declared = __LINE__ - 1;
  auto y = add(v, v, {.name = "y"});
  const unsigned line = __LINE__ - 1;
  auto grown = fg::assign_add(v, g.constant(1.f), {.name = "grown"});
  w.each(g, [&](fg::session& s) {
    const fg::error read = s.try_run(fg::fetch(y)).error();
    check_error(read, error_code::failed_precondition, "y", "TestAdd", {"uninitialized", "'v'", "initialize"});
    check_place(read, line, __FILE__);
    const fg::error fetched = s.try_run(fg::fetch(v)).error();
    check_error(fetched, error_code::failed_precondition, "v", "VariableV2", {"uninitialized", "'v'"});
    check_place(fetched, declared, __FILE__);
    check_error(s.try_run(grown).error(), error_code::failed_precondition, "grown", "AssignAdd", {"uninitialized", "'v'"});
    s.initialize();
    CHECK(s.run(fg::fetch(y)).scalar() == 2.f);
  });
}

TEST_CASE("errors: no kernel for the device that a node asks for, and which there are") {
  fg::device accelerator("accel");
  REQUIRE(accelerator.add("TestAdd", {}, {.run = &add_one}));
  const fg::device* devices[]{&accelerator};
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto on = g.on_device("/device:accel:0");
  auto known = add(x, x, {.name = "known"});
  auto y = multiply(x, x, {.name = "y"});
  const unsigned line = __LINE__ - 1;
  fg::session without{g}, with{g, {.devices = devices}};
  const fg::error why = with.try_run(fg::fetch(y), {{x, 1.f}}).error();
  check_error(why, error_code::unimplemented, "y", "TestMultiply",
              {"TestMultiply for device /device:accel:0", "existing", "cpu: TestMultiply"});
  check_place(why, line, __FILE__);
  check_error(without.try_run(fg::fetch(known), {{x, 1.f}}).error(), error_code::invalid_argument, "known", "TestAdd",
              {"no device /device:accel:0; existing: /job:localhost/task:0/device:cpu:0"});
  CHECK(with.try_run(fg::fetch(known), {{x, 1.f}}).has_value());
}

TEST_CASE("errors: a constraint names a kind of device in any case and in the short forms") {
  fg::device accelerator("Accel"), gpu("gpu");
  REQUIRE(accelerator.add("TestAdd", {}, {.run = &add_one}));
  REQUIRE(gpu.add("TestAdd", {}, {.run = &add_one}));
  const fg::device* devices[]{&accelerator, &gpu};
  const auto value_on = [&](std::string_view constraint, std::span<const fg::device* const> given) {
    fg::graph g;
    auto x = g.placeholder<float>("x", {});
    auto on = g.on_device(constraint);
    auto y = add(x, x, {.name = "y"});
    fg::session s{g, {.devices = given}};
    return s.try_run(fg::fetch(y), {{x, 5.f}});
  };
  for (const char* there : {"/device:accel:0", "/job:localhost/task:0/device:ACCEL:0", "/device:GPU:0", "/gpu:0",
                            "/job:localhost/GPU:0", "/device:gpu"}) {
    CAPTURE(there);
    CHECK(value_on(there, devices).value().scalar() == 6.f);
    CHECK(value_on(there, {}).error().code() == error_code::invalid_argument);
  }
  for (const char* here : {"/cpu:0", "/job:localhost/CPU:0", "/device:Cpu:0", "/task:0", "/device:*", "", "/"}) {
    CAPTURE(here);
    CHECK(value_on(here, devices).value().scalar() == 10.f);
  }
  for (const char* unknown : {"/job:worker/task:1", "/gpu:1", "/job:cpu", "/device:accel:1"}) {
    CAPTURE(unknown);
    check_error(value_on(unknown, devices).error(), error_code::invalid_argument, "y", "TestAdd",
                {"no device ", "existing: /job:localhost/task:0/device:cpu:0, /job:localhost/task:0/device:Accel:0"});
  }
}

TEST_CASE("errors: the kernels of a device that lacks one for these types are listed") {
  fg::device accelerator("accel");
  REQUIRE(accelerator.add("OnlyDeclared", {fg::dtype::float64}, {.run = &add_one}));
  CHECK(accelerator.add("OnlyDeclared", {fg::dtype::float64}, {.run = &add_one}).error().code() == error_code::already_exists);
  const fg::device* devices[]{&accelerator};
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = fg::apply(only_declared_op{}, x, fg::site{"y"});
  fg::session with{g, {.devices = devices}}, without{g};
  check_error(with.try_run(fg::fetch(y), {{x, 1.f}}).error(), error_code::unimplemented, "y", "OnlyDeclared",
              {"OnlyDeclared<float>", "accel: OnlyDeclared<double>"});
  check_error(without.try_run(fg::fetch(y), {{x, 1.f}}).error(), error_code::unimplemented, "y", "OnlyDeclared",
              {"existing: none"});
}

TEST_CASE("errors: a device's kernel runs the nodes that it alone has") {
  counting_memory memory;
  fg::device accelerator("accel", &memory);
  REQUIRE(accelerator.add("OnlyDeclared", {fg::dtype::float32}, {.run = &add_one}));
  const fg::device* devices[]{&accelerator};
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = fg::apply(only_declared_op{}, x);
  fg::session s{g, {.devices = devices}};
  CHECK(s.run(fg::fetch(y), {{x, 1.f}}).scalar() == 2.f);
  CHECK(memory.allocations() == 2);  // of what is fed, which crosses, and of the output
}
