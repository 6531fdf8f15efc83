// Graphs as an import leaves them: their plain reads of variables are views.
#include <flowgraph/passes/views.hpp>

#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/cut.hpp>

#include "drafted.hpp"

using namespace engine;

namespace {

template <class T> fg::out<T> as_view(const fg::out<T>& x) {
  fg::detail::graph_state& g = *x.source->graph;
  const std::lock_guard lock(g.mutex);
  g.mark_view(x.source->id);
  return x;
}

struct viewed {
  fg::graph g;
  fg::variable<float> v = g.variable("v", fg::tensor<float>({2}, {1.f, 2.f}));
  fg::out<float> ten = g.constant(fg::tensor<float>({2}, {10.f, 20.f}));

  fg::out<float> read() { return as_view(fg::identity(fg::out<float>(v), {"seen"})); }
  template <class Make, class... Nodes> auto after(Make make, const Nodes&... nodes) {
    const auto later = g.after(nodes...);
    return make();
  }
  fg::out<float> add_after(const fg::out<float>& node) {
    return after([&] { return fg::assign_add(v, ten); }, node);
  }
  fg::out<float> negative_after(const fg::out<float>& x, const fg::out<float>& node) {
    return after([&] { return -x; }, node);
  }
};

std::vector<float> values(const fg::any_tensor& t) {
  const auto all = t.as<float>();
  return {all.begin(), all.end()};
}
using numbers = std::vector<float>;

// What two runs answer, each in a fresh session; however it is run, the same.
std::vector<numbers> answers(const fg::graph& g, std::vector<fg::any_out> fetches, std::vector<fg::target> targets = {},
                             std::vector<fg::fed> feeds = {}) {
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::thread_pool pool(2);
  const fg::session_options ways[] = {{},
                                      {.dynamic = true},
                                      {.passes = fg::pass_options::none()},
                                      {.passes = with_further_passes()},
                                      {.pool = &pool},
                                      {.devices = cpus},
                                      {.devices = cpus, .cut = fg::per_device}};
  std::vector<numbers> first;
  const auto compare = [&](std::vector<numbers> found) {
    if (first.empty()) first = std::move(found);
    else CHECK(first == found);
  };
  for (const fg::session_options& way : ways) {
    fg::session s{g, way};
    s.initialize();
    std::vector<numbers> found;
    for (int run = 0; run < 2; ++run) {
      const std::vector<fg::any_tensor> made = s.try_run(fg::run_request{feeds, fetches, targets}).value();
      for (const fg::any_tensor& t : made) found.push_back(values(t));
    }
    compare(std::move(found));
  }
  fg::session s{g};
  s.initialize();
  std::vector<fg::any_out> fed;
  std::vector<fg::any_tensor> given;
  for (const fg::fed& f : feeds) fed.push_back(f.where), given.push_back(f.value);
  auto step = s.try_prepare(fed, fetches, targets).value();
  std::vector<numbers> found;
  for (int run = 0; run < 2; ++run) {
    std::vector<fg::any_tensor> made(fetches.size());
    step.try_run(given, made).value();
    for (const fg::any_tensor& t : made) found.push_back(values(t));
  }
  compare(std::move(found));
  return first;
}

// The draft of a run once its views are resolved.
struct resolved : drafted_graph {
  using drafted_graph::drafted_graph;
  resolved(const fg::graph& g, std::vector<fg::any_out> fetches) : drafted_graph(g, {}, std::move(fetches)) {
    const std::lock_guard lock(g.state().mutex);
    why = fg::detail::resolve_views(g.state(), made);
  }
};

}  // namespace

TEST_CASE("views: who waits for a write reads what was written, who does not has the one read") {
  viewed m;
  const auto seen = m.read();
  const auto before = fg::abs(seen, {"before"});
  const auto write = m.add_after(before);
  const auto behind = m.after([&] { return fg::abs(seen, {"behind"}); }, write);
  const auto aside = fg::abs(seen, {"aside"});
  CHECK(answers(m.g, {before, behind}) == std::vector<numbers>{{1, 2}, {11, 22}, {11, 22}, {21, 42}});

  const resolved d(m.g, {before, behind, aside});
  CHECK(d.name_of_input("before") == "seen");
  CHECK(d.name_of_input("aside") == "seen");
  CHECK(d.name_of_input("behind") == "v");
  // It waits for what it waited for, the view included.
  CHECK(std::ranges::find(d.at("behind").controls, &d.at("seen")) != d.at("behind").controls.end());
  CHECK(std::ranges::find_if(d.at("behind").controls, [&](const draft_node* c) { return c->id == write.source->id; }) !=
        d.at("behind").controls.end());
}

TEST_CASE("views: a read of a graph that is made here has the value of its moment") {
  viewed m;
  const auto seen = fg::identity(fg::out<float>(m.v));
  const auto before = -seen;
  const auto behind = m.negative_after(seen, m.add_after(before));
  CHECK(answers(m.g, {before, behind}) == std::vector<numbers>{{-1, -2}, {-1, -2}, {-11, -22}, {-11, -22}});
}

TEST_CASE("views: what gave a view another shape does so again") {
  viewed m;
  const auto seen = m.read();
  const auto column = as_view(fg::reshape(seen, {2, 1}));
  const auto square = as_view(fg::expand_dims(column, 0));
  const auto before = -square;
  const auto write = m.add_after(before);
  const auto behind = m.negative_after(square, write);
  CHECK(answers(m.g, {before, behind}) == std::vector<numbers>{{-1, -2}, {-11, -22}, {-11, -22}, {-21, -42}});
  fg::session s{m.g};
  s.initialize();
  CHECK(s.run(fg::fetch(behind)).shape() == fg::shape{1, 2, 1});
  // A Reshape that is made here shows the value of its moment.
  viewed own;
  const auto plain = fg::reshape(own.read(), {2, 1});
  const auto first = -plain;
  CHECK(answers(own.g, {own.negative_after(plain, own.add_after(first))}) == std::vector<numbers>{{-1, -2}, {-11, -22}});
}

TEST_CASE("views: on a branch the read is dead where the branch is not taken") {
  for (const bool taken : {true, false}) {
    viewed m;
    const auto p = m.g.placeholder<bool>("p", {});
    const auto seen = m.read();
    const auto before = -seen;
    const auto write = m.add_after(before);
    // The condition waits for the write, and nothing else leads from it to the readers.
    const auto late = m.after([&] { return fg::logical_not(p); }, write);
    const auto [no, yes] = fg::switch_(seen, late);
    as_view(no);
    const auto y = fg::merge<float>({-no, fg::abs(yes)}).value;
    CAPTURE(taken);
    const float sign = taken ? -1.f : 1.f;
    CHECK(answers(m.g, {before, y}, {}, {{p, fg::tensor<bool>(taken)}}) ==
          std::vector<numbers>{{-1, -2}, {sign * 11, sign * 22}, {-11, -22}, {sign * 21, sign * 42}});
  }
}

TEST_CASE("views: a loop reads what its iterations write") {
  viewed m;
  const auto seen = m.read();
  const auto zero = m.g.constant(0.f);
  const auto enter = [&](const auto& x, bool constant) {
    return fg::apply(fg::enter_op{.frame_name = "loop", .is_constant = constant}, x);
  };
  const auto inside = as_view(enter(seen, true));
  const auto limit = enter(m.g.constant(40.f), true);
  const auto first = enter(zero, false);
  const auto head = fg::merge<float>({first, first}, {"head"});
  const auto total = m.after([&] { return fg::sum(inside); }, head.value);
  const auto is_soon = head.value < enter(m.g.constant(100.f), true);  // a loop that reads nothing new ends too
  const auto going = fg::apply(fg::loop_cond_op{}, fg::logical_and(total < limit, is_soon));
  const auto [leaves, stays] = fg::switch_(head.value, going);
  const auto reference = fg::apply(fg::ref_enter_op{{.frame_name = "loop", .is_constant = true}}, m.v);
  const auto more = enter(m.ten, true);
  const auto one = enter(m.g.constant(1.f), true);
  const auto write = m.after([&] { return fg::apply(fg::assign_add_op{}, reference, more); }, fg::identity(stays));
  const auto next = m.after([&] { return stays + one; }, write);
  m.g.set_back_edge(head.value.source, 1, fg::apply(fg::next_iteration_op{}, next));
  const auto count = fg::apply(fg::exit_op{}, leaves);
  // 3, 33, 63: two iterations write.
  CHECK(answers(m.g, {count}) == std::vector<numbers>{{2}, {0}});
}

TEST_CASE("views: a read that is fed reaches all its readers") {
  viewed m;
  const auto seen = m.read();
  const auto before = -seen;
  const auto behind = m.negative_after(seen, m.add_after(before));
  CHECK(answers(m.g, {before, behind}, {}, {{seen, fg::tensor<float>({2}, {5.f, 6.f})}}) ==
        std::vector<numbers>{{-5, -6}, {-5, -6}, {-5, -6}, {-5, -6}});
}

TEST_CASE("views: a fetch shows what the run has written") {
  viewed m;
  const auto seen = m.read();
  const auto column = as_view(fg::reshape(seen, {2, 1}));
  const auto write = m.add_after(column);
  CHECK(answers(m.g, {seen, column}, {write}) == std::vector<numbers>{{11, 22}, {11, 22}, {21, 42}, {21, 42}});
  CHECK(answers(m.g, {seen, column}) == std::vector<numbers>{{1, 2}, {1, 2}, {1, 2}, {1, 2}});
}

TEST_CASE("views: a write that the read waits for is in it") {
  viewed m;
  const auto first = fg::assign_add(m.v, m.ten);
  const auto seen = m.after([&] { return m.read(); }, first);
  const auto y = fg::abs(seen, {"y"});
  const resolved d(m.g, {y});
  CHECK(d.name_of_input("y") == "seen");
  CHECK(answers(m.g, {y}) == std::vector<numbers>{{11, 22}, {21, 42}});
}

TEST_CASE("views: an Assign of a size that only the run can tell is refused by name") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown());
  const auto v = g.variable("v", fg::tensor<float>({2}, {1.f, 2.f}));
  const auto seen = as_view(fg::identity(fg::out<float>(v), {"seen"}));
  const auto write = [&] {
    const auto later = g.after(seen);
    return fg::apply(fg::assign_op{.validate_shape = false}, v, x, {"write"});
  }();
  const auto y = [&] {
    const auto later = g.after(write);
    return fg::abs(seen, {"y"});
  }();
  const resolved d(g, {y});
  REQUIRE(d.why);
  CHECK(d.why.code() == fg::error_code::unimplemented);
  CHECK(d.why.node() == "y");
  CHECK(d.why.message().find("'write' (Assign)") != std::string_view::npos);
  CHECK(d.why.message().find("the variable 'v'") != std::string_view::npos);
}

TEST_CASE("views: a copy of a graph has them") {
  viewed m;
  const auto seen = m.read();
  const auto before = -seen;
  const auto behind = m.negative_after(seen, m.add_after(before));
  const fg::graph twin = m.g.clone();
  const fg::any_out same{twin.find(behind.source->name), 0};
  CHECK(answers(twin, {same}) == std::vector<numbers>{{-11, -22}, {-21, -42}});
}
