#include <flowgraph/runtime/planning/placed_pass.hpp>

#include <flowgraph/runtime/explain.hpp>

#include "../../harness/engine_ops.hpp"

#include <algorithm>

using namespace engine;
using fg::detail::draft_node;

namespace {

draft_node& named(fg::detail::draft& d, std::string_view name) {
  for (draft_node& n : d)
    if (n.name == name) return n;
  FAIL("no node is named " << name);
  return *d.begin();
}

// "y" reads what "early" makes once more, after "late".
std::size_t repeat_early(const fg::further_pass&, fg::detail::draft& d, fg::detail::pass_call& call) {
  draft_node& late = named(d, "late");
  draft_node* const after[] = {&late};
  draft_node& again = call.placed->crossing.repeat(late, named(d, "early"), after);
  named(d, "y").inputs[0] = {&again, 0};
  call.report.notes.push_back("early is made twice");
  return 1;
}
// "y" reads a copy of "early" that has lain on the first device.
std::size_t send_early_away(const fg::further_pass&, fg::detail::draft& d, fg::detail::pass_call& call) {
  draft_node& early = named(d, "early");
  draft_node* const after[] = {&named(d, "late")};
  draft_node& away = call.placed->crossing.copy(early, {&early, 0}, fg::detail::placement::host, {});
  draft_node& back = call.placed->crossing.copy(*after[0], {&away, 0}, early.device_place, after);
  named(d, "y").inputs[0] = {&back, 0};
  return call.placed->devices.size();
}
constexpr fg::further_pass repeating{"repeating", fg::pass_stage::after_placement, &repeat_early};
constexpr fg::further_pass sending{"sending", fg::pass_stage::after_placement, &send_early_away};

struct two_cpus {
  fg::graph g;
  fg::device_list cpus = fg::cpu_devices(2);
  fg::out<float> x = g.placeholder<float>("x", {4}), y;

  two_cpus() {
    const auto on = g.on_device("/cpu:1");
    const auto early = add(x, x, {.name = "early"});
    y = add(early, multiply(early, early, {.name = "late"}), {.name = "y"});
  }
  fg::explanation check(const fg::session_options& o) {
    fg::session s{g, o};
    for (const float with : {1.f, 3.f}) CHECK(s.run(fg::fetch(y), {{x, filled(4, with)}})[3] == 2 * with + 4 * with * with);
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    CHECK(step(filled(4, 2))[0] == 20);
    return s.explain(fg::fetch(y), {{x, fg::shape{4}}});
  }
};

const fg::explained_node* find(const fg::explanation& e, std::string_view name) {
  const auto at = std::ranges::find(e.nodes, name, &fg::explained_node::name);
  return at == e.nodes.end() ? nullptr : &*at;
}

// ---- a pass may give a node attributes of its own

struct scaled_op {
  static constexpr std::string_view name = "Scaled";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  float by = 1;
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = by * x[i];
  }
};
struct scaled_later_op : scaled_op {
  static constexpr std::string_view name = "ScaledLater";
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y, fg::done answer) const {
    scaled_op::operator()(ctx, x, y);
    answer();
  }
};
const scaled_op tenfold{10};
const scaled_later_op tenfold_later{{10}};

std::size_t scale_tenfold(const fg::further_pass&, fg::detail::draft& d, fg::detail::pass_call&) {
  std::size_t changed = 0;
  for (draft_node& n : d) {
    if (n.kind != draft_node::form::op) continue;
    if (n.table->name() == scaled_op::name) n.attributes = &tenfold, ++changed;
    if (n.table->name() == scaled_later_op::name) n.attributes = &tenfold_later, ++changed;
  }
  return changed;
}
constexpr fg::further_pass scaling{"scaling", fg::pass_stage::after_placement, &scale_tenfold};

}  // namespace

TEST_CASE("placed pass: a node is repeated on its device, after what it waits for, and is told") {
  two_cpus m;
  const auto e = m.check({.devices = m.cpus, .passes = {.further = {repeating}}});
  const fg::explained_node* again = find(e, "early again");
  REQUIRE(again);
  CHECK(again->device == "/job:localhost/task:0/device:cpu:1");
  CHECK(again->inputs.size() == 3);
  CHECK(e.nodes[again->inputs[2].from].name == "late");
  CHECK(e.passes[3].name == "repeating");
  CHECK(e.passes[3].changed == 1);
  CHECK(fg::to_text(e).find("pass repeating: 1 nodes changed\n  early is made twice\n") != std::string::npos);
}

TEST_CASE("placed pass: a value goes to another device and back") {
  two_cpus m;
  const auto e = m.check({.devices = m.cpus, .passes = {.further = {sending}}});
  CHECK(e.transfers == 4);
  CHECK(e.passes[3].changed == 2);
  CHECK(find(e, "early to /job:localhost/task:0/device:cpu:0 to /job:localhost/task:0/device:cpu:1"));
}

TEST_CASE("placed pass: also in plans that are cut, on one device, and among passes over the draft; not in dynamic sessions") {
  two_cpus m;
  m.check({.devices = m.cpus, .cut = fg::per_device, .passes = {.further = {repeating}}});
  m.check({.devices = m.cpus, .cut = fg::per_device, .passes = {.further = {sending}}});
  CHECK(find(m.check({.soft_placement = true, .passes = {.further = {repeating}}}), "early again"));
  CHECK_FALSE(find(m.check({.devices = m.cpus, .dynamic = true, .passes = {.further = {repeating}}}), "early again"));
}

TEST_CASE("placed pass: runs, prepared steps and kernels that answer later read the attributes that a pass gave to a node") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {4});
  const auto scaled = fg::apply(scaled_op{2}, x), sum = add(scaled, x);
  const auto later = fg::apply(scaled_later_op{{2}}, x);
  fg::session s{g, {.passes = {.further = {scaling}}}};
  CHECK(s.run(fg::fetch(sum), {{x, filled(4, 3)}})[0] == 33);
  auto step = s.prepare(fg::feed(x), fg::fetch(sum));
  CHECK(step(filled(4, 3))[0] == 33);
  CHECK(s.run(fg::fetch(later), {{x, filled(4, 3)}})[0] == 30);
  const auto both = s.run(fg::fetch(sum, later), {{x, filled(4, 5)}});
  CHECK(std::get<0>(both)[3] == 55);
  CHECK(std::get<1>(both)[3] == 50);
}
