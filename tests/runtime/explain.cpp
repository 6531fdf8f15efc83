#include <flowgraph/runtime/explain.hpp>

#include <flowgraph/op/device.hpp>
#include <flowgraph/op/device_kernel.hpp>
#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/tiling.hpp>
#include <flowgraph/runtime/placement.hpp>

#include "../harness/engine_ops.hpp"

#include <map>

using namespace engine;

namespace {

const fg::explained_node& node_named(const fg::explanation& e, std::string_view name) {
  for (const fg::explained_node& n : e.nodes)
    if (n.name == name) return n;
  FAIL("no node is named " << name);
  return e.nodes.front();
}
std::vector<std::string> names_of_inputs(const fg::explanation& e, std::string_view name, fg::explained_edge::form kind) {
  std::vector<std::string> names;
  for (const fg::explained_edge& in : node_named(e, name).inputs)
    if (in.kind == kind) names.push_back(e.nodes[in.from].name);
  return names;
}
std::vector<std::string> kinds_of_calls(const fg::explanation& e) {
  std::vector<std::string> kinds;
  for (const fg::explained_call& c : e.calls) kinds.push_back(c.kind);
  return kinds;
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct explained_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  fg::out<float> c = g.constant(2.f, {"c"});
  fg::out<float> four = fg::apply(add_op{}, c, c, {"four"});
  fg::out<float> y = fg::apply(multiply_op{}, x, four, {"y"});
  fg::out<float> unused = fg::apply(add_op{}, y, y, {"unused"});
};

}  // namespace

TEST_CASE("explain: the nodes that are needed, in order, with what folds") {
  explained_model m;
  fg::session s{m.g};
  const fg::explanation e = s.explain(fg::fetch(m.y), {{m.x, {8}}});
  REQUIRE(e.nodes.size() == 3);
  CHECK(e.nodes[0].name == "four");
  CHECK(e.nodes[0].kind == "constant");
  CHECK(e.nodes[0].op == "TestAdd");
  CHECK(e.nodes[0].is_folded);
  CHECK(e.nodes[1].name == "x");
  CHECK(e.nodes[1].kind == "feed");
  CHECK(e.nodes[1].outputs == std::vector<std::string>{"float[8]"});
  CHECK(e.nodes[2].name == "y");
  CHECK(e.nodes[2].op == "TestMultiply");
  CHECK_FALSE(e.nodes[2].is_folded);
  CHECK(names_of_inputs(e, "y", fg::explained_edge::form::data) == std::vector<std::string>{"x", "four"});
  REQUIRE(e.passes.size() == 4);
  CHECK(e.passes[0].name == "prune_identities");
  CHECK(e.passes[1].name == "fold_constants");
  CHECK(e.passes[1].changed == 1);
  CHECK(e.passes[2].name == "merge_common");
  CHECK(e.passes[3].name == "group_elementwise");
  CHECK(e.queued.empty());
  REQUIRE(e.calls.size() == 1);
  CHECK(e.calls[0].kind == "call");
  CHECK(e.calls[0].name == "y");
  CHECK(e.calls[0].outputs == std::vector<std::string>{"float[8] returned"});
}

TEST_CASE("explain: as text and as a drawing") {
  explained_model m;
  fg::session s{m.g};
  const fg::explanation e = s.explain(fg::fetch(m.y), {{m.x, {8}}});
  CHECK(fg::to_text(e) ==
        "3 nodes\n"
        "  four = TestAdd -> float[] folded\n"
        "  x = feed -> float[8]\n"
        "  y = TestMultiply(x, four) -> float[?]\n"
        "pass prune_identities: 0 nodes changed\n"
        "pass fold_constants: 1 nodes changed\n"
        "pass merge_common: 0 nodes changed\n"
        "pass group_elementwise: 0 nodes changed\n"
        "schedule: 1 entries, 1 buffers, 0 bytes of working memory\n"
        "  call y TestMultiply -> float[8] returned\n");
  const std::string drawing = fg::to_dot(e);
  CHECK(drawing.starts_with("digraph {\n"));
  CHECK(has(drawing, "n0 [label=\"four\\nTestAdd\", style=filled];\n"));
  CHECK(has(drawing, "n1 [label=\"x\\nfeed\", shape=ellipse];\n"));
  CHECK(has(drawing, "n1 -> n2 [label=\"float[8]\"];\n"));
  CHECK_FALSE(has(drawing, "unused"));
}

TEST_CASE("explain: a node that a schedule folds for its shapes, a constant of several outputs, and what is too large") {
  fg::graph g;
  auto large = g.constant(fg::tensor<float>(fg::shape{100'000}));
  auto sum = fg::apply(add_op{}, large, large, {"sum"});
  const auto parts = fg::split(g.constant(fg::tensor<float>({2}, {1.f, 2.f})), 2, 0, {"parts"});
  fg::session s{g}, small{g, {.passes = {.folded_bytes = 1000}}};
  const fg::explanation e = s.explain(fg::fetch(sum, parts[0], parts[1]));
  CHECK(node_named(e, "sum").kind == "op");
  CHECK(node_named(e, "sum").is_folded);
  CHECK(names_of_inputs(e, "sum", fg::explained_edge::form::data).size() == 2);
  CHECK(node_named(e, "parts").kind == "constant");
  CHECK(node_named(e, "parts:1").outputs == std::vector<std::string>{"float[1]"});
  CHECK(e.passes[1].changed == 2);
  auto wide = fg::tile(sum, g.constant(fg::tensor<std::int32_t>({1}, {4})), {"wide"});
  CHECK(has(fg::to_text(small.explain(fg::fetch(wide))), "pass fold_constants: 1 nodes changed, 1 left alone as too large\n"));
}

TEST_CASE("explain: without shapes there is a plan and no schedule, and it says why") {
  explained_model m;
  fg::session s{m.g};
  const fg::explanation e = s.explain(fg::fetch(m.y), {m.x});
  CHECK(e.nodes.size() == 3);
  CHECK(e.calls.empty());
  CHECK(e.queued == "the shape of 'x' is not known");
  CHECK(has(fg::to_text(e), "no schedule: the shape of 'x' is not known\n"));
}

TEST_CASE("explain: edges by name, targets, control edges and the order of what uses a variable") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto v = g.variable("v", fg::tensor<float>({2}, {1.f, 2.f}));
  fg::apply(add_op{}, v, x, {"read"});
  const fg::target write = fg::assign(v, x, {"write"});
  {
    auto later = g.after(write);
    fg::apply(add_op{}, x, x, {"after"});
  }
  fg::session s{g};
  s.initialize();
  const fg::explanation e = s.explain(fg::fetch<float, float>("read:0", "after:0"), "write", {{"x:0", {2}}});
  CHECK(names_of_inputs(e, "after", fg::explained_edge::form::control) == std::vector<std::string>{"write"});
  CHECK(names_of_inputs(e, "write", fg::explained_edge::form::order) == std::vector<std::string>{"read"});
  CHECK(kinds_of_calls(e) == std::vector<std::string>{"read", "call", "release", "call", "call"});
  CHECK(e.calls[0].name == "v");
  CHECK(has(fg::to_text(e), "after = TestAdd(x, x, ^write)"));
  CHECK(has(fg::to_text(e), "~read"));
  // None of it has run.
  CHECK(to_vector(s.run(fg::fetch(v))) == std::vector<float>{1.f, 2.f});
}

TEST_CASE("explain: a loop is a box among the nodes and a part of the schedule") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto n = g.placeholder<float>("n", {});
  auto y = counting_loop(x, n, x);
  fg::session s{g};
  const fg::explanation e = s.explain(fg::fetch(y), {x, n});
  REQUIRE(e.frames.size() == 2);
  CHECK(e.queued.empty());
  REQUIRE(e.loops.size() == 1);
  CHECK(e.loops[0].is_straight);
  const std::vector<std::string> kinds = kinds_of_calls(e);
  CHECK(kinds.front() == "loop");
  CHECK(e.calls.front().name == e.frames[1].name);
  CHECK(std::count(kinds.begin(), kinds.end(), "ask") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "body") == 1);
  CHECK(e.calls.back().depth == 1);
  CHECK(std::ranges::any_of(e.calls, [](const fg::explained_call& c) {  // a value of the loop is in the step's memory
    return c.depth == 1 && c.kind == "call" && has(c.outputs.front(), "float[] at ");
  }));
  CHECK(has(fg::to_dot(e), "subgraph \"cluster_1\""));
  CHECK(has(fg::to_text(e), " is straight\n"));
  fg::session dynamic{g, {.dynamic = true}};
  CHECK(dynamic.explain(fg::fetch(y), {x, n}).queued == "the session is dynamic");
}

TEST_CASE("explain: a request that cannot be planned is refused as a run is") {
  explained_model m;
  fg::session s{m.g};
  const fg::edge_or_name known[]{"y:0"}, unknown[]{"none:0"};
  CHECK(s.try_explain(unknown, {}, {}).error().code() == error_code::not_found);
  const fg::fed_shape wrong[]{{m.x, {2, 2}}};
  check_error(s.try_explain(known, {}, wrong).error(), error_code::invalid_argument, "x", "Placeholder", {"[?]", "[2,2]"});
  // What a step would be refused for is said in place of the schedule.
  const auto unfed = s.try_explain(known, {}, {});
  REQUIRE(unfed.has_value());
  CHECK(unfed->nodes.size() == 3);
  CHECK(has(unfed->queued, "you must feed a value for placeholder 'x'"));
}

namespace {

// Of every node but what is fed or crosses.
std::map<std::string, std::string> reasons_of(const fg::explanation& e) {
  std::map<std::string, std::string> told;
  for (const fg::explained_node& n : e.nodes)
    if (n.kind != "feed" && n.kind != "transfer") told[n.name] = n.reason + " " + n.device.substr(n.device.rfind('/') + 1);
    else CHECK(n.reason.empty());
  return told;
}

struct last_place final : fg::placement_policy {
  void choose(fg::placement_question& q) override {
    for (auto& group : q.groups) group.place = group.allowed.back();
  }
};

}  // namespace

TEST_CASE("explain: why each node stands where it does, by constraint, by colocation, or as the first device") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1});
  const auto on = [&](std::string_view device, auto make) {
    const auto there = g.on_device(device);
    return make();
  };
  const auto v = on("/cpu:1", [&] { return g.variable("v", fg::tensor<float>({1}, {10})); });
  const auto grown = fg::assign_add(v, x, {.name = "grown"});
  const auto asked = on("/cpu:1", [&] { return add(x, x, {.name = "asked"}); });
  fg::out<float> beside, beside_and_asked;
  {
    const auto with = g.colocate_with(asked);
    beside = add(x, asked, {.name = "beside"});
    beside_and_asked = on("/cpu:1", [&] { return add(beside, x, {.name = "beside_and_asked"}); });
  }
  const auto one = add(x, x, {.name = "one"});
  const auto other = [&] {
    const auto with = g.colocate_with(one);
    return multiply(one, x, {.name = "other"});
  }();
  const auto any = on("/job:localhost", [&] { return add(beside_and_asked, other, {.name = "any"}); });
  const auto y = add(add(any, beside, {.name = "sum"}), grown, {.name = "y"});
  const fg::device_list cpus = fg::cpu_devices(2);
  for (const bool is_cut : {false, true}) {
    fg::session s{g, {.devices = cpus, .cut = is_cut ? fg::per_device : fg::cutting{}, .passes = fg::pass_options::none()}};
    const fg::explanation e = s.explain(fg::fetch(y), {x});
    const std::map<std::string, std::string> expected{{"v", "constraint device:cpu:1"},
                                                      {"grown", "colocation device:cpu:1"},
                                                      {"asked", "constraint device:cpu:1"},
                                                      {"beside", "colocation device:cpu:1"},
                                                      {"beside_and_asked", "constraint device:cpu:1"},
                                                      {"one", "colocation device:cpu:0"},
                                                      {"other", "colocation device:cpu:0"},
                                                      {"any", "constraint device:cpu:0"},
                                                      {"sum", "first device:cpu:0"},
                                                      {"y", "first device:cpu:0"}};
    for (const auto& [name, why] : reasons_of(e))
      CHECK_MESSAGE((expected.contains(name) && expected.at(name) == why), name, ": ", why);
    CHECK(reasons_of(e).size() == expected.size());
    CHECK(has(to_text(e),
              "beside = TestAdd(x to /job:localhost/task:0/device:cpu:1, asked) -> float[1] "
              "@/job:localhost/task:0/device:cpu:1 (colocation)\n"));
  }
  fg::session alone{g, {.soft_placement = true}};
  for (const fg::explained_node& n : alone.explain(fg::fetch(y), {x}).nodes) CHECK(n.reason.empty());
}

TEST_CASE("explain: what a policy chose stands by cost, what has one device with a kernel by that, and the others as without") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1});
  const auto free = multiply(x, x, {.name = "free"});
  const auto lacking = add(free, x, {.name = "lacking"});
  const auto asked = [&] {
    const auto there = g.on_device("/cpu:0");
    return multiply(lacking, x, {.name = "asked"});
  }();
  const auto y = [&] {
    const auto with = g.colocate_with(asked);
    return multiply(asked, x, {.name = "y"});
  }();
  fg::device_list devices = fg::cpu_devices(1);
  devices.push_back(std::make_unique<fg::device>("accel"));
  REQUIRE(devices[1].add<multiply_op>());
  last_place policy;
  fg::session s{g, {.devices = devices, .placement = &policy, .passes = fg::pass_options::none()}};
  const std::map<std::string, std::string> expected{{"free", "cost device:accel:0"},
                                                    {"lacking", "only kernel device:cpu:0"},
                                                    {"asked", "constraint device:cpu:0"},
                                                    {"y", "colocation device:cpu:0"}};
  const auto found = reasons_of(s.explain(fg::fetch(y), {x}));
  for (const auto& [name, why] : found) CHECK_MESSAGE((expected.contains(name) && expected.at(name) == why), name, ": ", why);
  CHECK(found.size() == expected.size());
}
