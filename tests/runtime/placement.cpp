#include <flowgraph/runtime/placement.hpp>

#include <flowgraph/op/device_kernel.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;

namespace {

// The devices on which nodes of a graph stand, by name; an error's text where there is none.
struct placed {
  fg::graph g;
  fg::device_list cpus = fg::cpu_devices(3);

  fg::detail::placement on(bool is_soft = false) {
    fg::detail::placement made(cpus, is_soft);
    made.extend(g.state());
    return made;
  }
  std::string where(const fg::detail::placement& p, const fg::any_out& at) {
    const auto place = p.place_of(*at.source);
    return place ? std::to_string(*place) : std::string(place.error().what());
  }
  std::string where(const fg::any_out& at, bool is_soft = false) { return where(on(is_soft), at); }
  fg::out<float> constant(std::string_view device, std::string_view name,
                          std::source_location at = std::source_location::current()) {
    const auto there = g.on_device(device);
    return g.constant(1.f, {.name = name, .location = at});
  }
};

// Ops that name what they share without a handle to it: by an attribute, or in what they give.
struct lays_down {
  static constexpr std::string_view name = "LaysDown";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  std::string container = {}, shared_name = {};
  static constexpr auto attrs =
      fg::attrs(fg::attr("container", &lays_down::container), fg::attr("shared_name", &lays_down::shared_name));
  fg::shape shape() const { return {}; }
  void operator()(fg::cpu, fg::view<float> out) const { out[0] = 1; }
};
struct names_in_run {
  static constexpr std::string_view name = "NamesInRun";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true, .per_run = true};
  std::string var_name = {};
  static constexpr auto attrs = fg::attrs(fg::attr("var_name", &names_in_run::var_name));
  fg::shape shape() const { return {}; }
  void operator()(fg::cpu, fg::view<float> out) const { out[0] = 1; }
};
struct gives_key {
  static constexpr std::string_view name = "GivesKey";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true, .outputs_stay = true};
  fg::shape shape() const { return {}; }
  void operator()(fg::cpu, fg::view<float> key) const { key[0] = 1; }
};
struct passes_on {
  static constexpr std::string_view name = "PassesOn";
  static constexpr fg::op_facts facts{.not_differentiable = true, .passes_value = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> same) const { same[0] = x[0]; }
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
// "'a' (placement.cpp:12)", with the folders of the file.
std::string with_line(std::string_view name, unsigned line) {
  return fg::message{"'", name, "' (", std::source_location::current().file_name(), ":", line, ")"};
}

}  // namespace

TEST_CASE("placement: a node stands where it asks to, in full or in part, and on the first device where it does not ask") {
  placed p;
  CHECK(p.where(p.constant("", "free")) == "0");
  CHECK(p.where(p.constant("/cpu:2", "short")) == "2");
  CHECK(p.where(p.constant("/job:localhost/replica:0/task:0/device:CPU:1", "full")) == "1");
  CHECK(p.where(p.constant("/device:*:1", "number")) == "1");
  CHECK(p.where(p.constant("/job:localhost", "job")) == "0");
}

TEST_CASE("placement: an unknown device is an error that lists those there are, and the business of its node alone") {
  placed p;
  const auto lost = p.constant("/device:cpu:7", "lost"), elsewhere = p.constant("/job:ps/task:1", "elsewhere"),
             malformed = p.constant("nowhere", "malformed"), free = p.constant("", "free");
  CHECK(holds(p.where(lost),
              "no device /device:cpu:7; existing: /job:localhost/task:0/device:cpu:0, /job:localhost/task:0/device:cpu:1"));
  CHECK(holds(p.where(lost), "'lost'"));
  CHECK(holds(p.where(elsewhere), "no device /job:ps/task:1"));
  CHECK(holds(p.where(malformed), "'nowhere' is not the name of a device"));
  CHECK(p.where(free) == "0");
}

TEST_CASE("placement: soft, kinds and numbers that are not there are ignored, jobs and tasks are not") {
  placed p;
  CHECK(p.where(p.constant("/device:gpu:0", "gpu"), true) == "0");
  CHECK(p.where(p.constant("/cpu:9", "far"), true) == "0");
  CHECK(p.where(p.constant("/cpu:1", "there"), true) == "1");
  CHECK(holds(p.where(p.constant("/job:ps/cpu:0", "job"), true), "no device"));
  CHECK(holds(p.where(p.constant("/task:3", "task"), true), "no device"));
}

TEST_CASE("placement: nodes that ask to be together stand together, or the error names both and what they ask for") {
  placed p;
  const unsigned line = __LINE__;
  const auto a = p.constant("/cpu:1", "a");
  {
    const auto with = p.g.colocate_with(a);
    const auto b = p.constant("", "b");
    CHECK(p.where(b) == "1");
    const auto c = p.constant("/cpu:2", "c");
    CHECK_MESSAGE(
        holds(p.where(c), "'c' stands on the device of " + with_line("a", line + 1) + ", but " + with_line("c", line + 6) +
                              " asks for /device:cpu:2 and " + with_line("a", line + 1) + " for /device:cpu:1"),
        p.where(c));
    CHECK(p.where(c, true) == "1");
    // Not with the one that asks for another device, but with one that stands with it.
    const auto with_b = p.g.colocate_with(b);
    const auto d = p.constant("/cpu:0", "d");
    CHECK_MESSAGE(holds(p.where(d), with_line("d", line + 14) + " asks for /device:cpu:0 and " + with_line("a", line + 1) +
                                        " for /device:cpu:1"),
                  p.where(d));
  }
  CHECK(p.where(a) == "1");
}

TEST_CASE("placement: two makers of one resource that ask for different devices are an error that names both with their lines") {
  placed p;
  const unsigned line = __LINE__;
  const auto make = [&](std::string_view device, std::string_view name,
                        std::source_location at = std::source_location::current()) {
    const auto there = p.g.on_device(device);
    return fg::any_out(fg::apply_in<float>(p.g, fg::variable_v2_op{fg::shape{}, {}, "weights"}, {.name = name, .location = at}));
  };
  const fg::any_out first = make("/cpu:1", "first");
  const fg::any_out second = make("/cpu:2", "second");
  CHECK(p.where(first) == "1");
  CHECK_MESSAGE(holds(p.where(second), "'second' stands on the device of " + with_line("first", line + 6) + ", but " +
                                           with_line("second", line + 7) + " asks for /device:cpu:2 and " +
                                           with_line("first", line + 6) + " for /device:cpu:1"),
                p.where(second));
}

TEST_CASE("placement: a node that asks to be with one that the graph has not cannot be placed") {
  placed p;
  const auto a = p.constant("", "a");
  const std::string_view names[] = {"gone"};
  a.source->colocated_with = names;
  CHECK(holds(p.where(a), "'a' asks to be with 'gone', which the graph does not have"));
}

TEST_CASE("placement: what takes a reference stands with the variable, whatever it asks for") {
  placed p;
  fg::any_out assigned, read;
  const auto v = [&] {
    const auto on = p.g.on_device("/cpu:2");
    return p.g.variable("v", fg::tensor<float>({2}, {1, 2}));
  }();
  {
    const auto on = p.g.on_device("/cpu:1");
    assigned = fg::assign_add(v, p.g.constant(fg::tensor<float>({2}, {1, 1})));
    read = add(v, v);
  }
  CHECK(p.where(fg::any_out(v)) == "2");
  CHECK(p.where(assigned) == "2");
  CHECK(p.where(read) == "1");
}

TEST_CASE("placement: nodes that name one resource stand together, with a handle to it or without") {
  placed p;
  const auto on = [&](std::string_view device, const auto& op) {
    const auto there = p.g.on_device(device);
    return fg::any_out(fg::apply_in<>(p.g, op));
  };
  const fg::any_out first = on("/cpu:1", lays_down{{}, "area"}), second = on("", lays_down{{}, "area"}),
                    third = on("/cpu:2", lays_down{{}, "area"}), elsewhere = on("/cpu:2", lays_down{"section", "area"}),
                    unnamed = on("/cpu:2", lays_down{});
  const fg::any_out by_node = on("", lays_down{{}, std::string(unnamed.source->name)});
  const fg::any_out in_run = on("/cpu:2", names_in_run{"area"}), again = on("", names_in_run{"area"});
  auto known = p.on();
  for (const fg::any_out& o : {first, second, third}) CHECK(p.where(known, o) == "1");
  for (const fg::any_out& o : {elsewhere, unnamed, by_node, in_run, again}) CHECK(p.where(known, o) == "2");
  const fg::any_out later = on("/cpu:0", lays_down{{}, "area"});
  known.extend(p.g.state());
  CHECK(p.where(known, later) == "1");
}

TEST_CASE("placement: what is good on its own device alone is taken there, whatever else its taker asks for") {
  placed p;
  const auto key = [&] {
    const auto there = p.g.on_device("/cpu:1");
    return fg::apply_in<>(p.g, gives_key{});
  }();
  const auto there = p.g.on_device("/cpu:2");
  const auto taken = add(key, p.constant("/cpu:0", "x")), handed_on = add(taken, taken);
  const auto behind = add(fg::apply(passes_on{}, fg::apply(passes_on{}, key)), taken);
  auto known = p.on();
  CHECK(p.where(known, taken) == "1");
  CHECK(p.where(known, behind) == "1");
  CHECK(p.where(known, handed_on) == "2");
}

TEST_CASE("placement: a session of a container puts what names its resource without a handle where that stands") {
  fg::container shared;
  const fg::device_list cpus = fg::cpu_devices(3);
  const auto stands_on = [&](std::string_view asked, std::string_view device) {
    fg::graph g;
    const auto there = g.on_device(asked);
    const auto laid = fg::apply_in<>(g, lays_down{{}, "area"});
    fg::session s{g, {.resources = &shared, .devices = cpus}};
    CHECK(s.run(fg::fetch(laid)).scalar() == 1);
    return to_text(s.explain(fg::fetch(laid))).find(device) != std::string::npos;
  };
  CHECK(stands_on("/cpu:2", "cpu:2"));
  CHECK(stands_on("/cpu:1", "cpu:2"));
  shared.clear();
  CHECK(stands_on("/cpu:1", "cpu:1"));
}

TEST_CASE("placement: what has been placed stays, and what comes later goes by it") {
  placed p;
  const unsigned line = __LINE__;
  const auto a = p.constant("/cpu:1", "a");
  const auto b = p.constant("/cpu:2", "b");
  auto known = p.on();
  const auto lost = p.constant("/cpu:7", "lost");
  known.extend(p.g.state());
  const auto with = p.g.colocate_with(a);
  const auto c = p.g.constant(3.f, {.name = "c"}), e = p.constant("/cpu:0", "e");
  fg::out<float> d;
  {
    const auto too = p.g.colocate_with(b);
    d = p.g.constant(4.f, {.name = "d"});
  }
  fg::out<float> f;
  {
    const auto too = p.g.colocate_with(lost);
    f = p.g.constant(5.f, {.name = "f"});
  }
  known.extend(p.g.state());
  CHECK(p.where(known, a) == "1");
  CHECK(p.where(known, c) == "1");
  CHECK_MESSAGE(holds(p.where(known, e), "'e' stands on the device of " + with_line("a", line + 1) +
                                             ", which an earlier run has placed on /job:localhost/task:0/device:cpu:1, but asks "
                                             "for /device:cpu:0"),
                p.where(known, e));
  CHECK(holds(p.where(known, f), "no device /device:cpu:7"));
  CHECK_MESSAGE(holds(p.where(known, d), "'d' belongs to " + with_line("a", line + 1) +
                                             " on /job:localhost/task:0/device:cpu:1 and to " + with_line("b", line + 2) +
                                             " on /job:localhost/task:0/device:cpu:2, where earlier runs have placed them"),
                p.where(known, d));
}

TEST_CASE(
    "placement: an assignment that asks for an unknown device fails alone; others that ask for another go to their variable") {
  placed p;
  const auto v = p.g.variable("v", fg::tensor<float>({2}, {1, 2}));
  const auto one = p.g.constant(fg::tensor<float>({2}, {1, 1}));
  fg::any_out lost, moved;
  {
    const auto on = p.g.on_device("/cpu:9");
    lost = fg::assign_add(v, one);
  }
  {
    const auto on = p.g.on_device("/cpu:1");
    moved = fg::assign_add(v, one);
  }
  CHECK(holds(p.where(lost), "no device /device:cpu:9"));
  CHECK(p.where(fg::any_out(v)) == p.where(moved));
}

namespace {

// Puts whatever may stand there on one device, and keeps what it was asked.
struct to_device final : fg::placement_policy {
  explicit to_device(std::uint32_t to) : place(to) {}
  void choose(fg::placement_question& q) override {
    ++asked;
    groups = q.groups;
    threads = q.threads;
    for (auto& g : q.groups) g.place = place;
  }
  std::uint32_t place;
  int asked = 0;
  std::size_t threads = 0;
  std::vector<fg::placement_question::group> groups;
};

}  // namespace

TEST_CASE("placement: a policy chooses for groups that may stand on several devices, and for no others") {
  placed p;
  const auto free = p.constant("", "free"), asked = p.constant("/cpu:1", "asked"),
             anywhere = p.constant("/job:localhost", "anywhere");
  const auto v = p.g.variable("v", fg::tensor<float>({2}, {1, 2}));
  const auto assigned = fg::assign_add(v, p.g.constant(fg::tensor<float>({2}, {1, 1})));
  to_device second(2);
  fg::detail::placement known(p.cpus, false, &second, 4);
  known.extend(p.g.state());
  CHECK(second.asked == 1);
  CHECK(second.threads == 4);
  CHECK(p.where(known, free) == "2");
  CHECK(p.where(known, anywhere) == "2");
  CHECK(p.where(known, asked) == "1");
  CHECK(p.where(known, fg::any_out(v)) == "2");
  CHECK(p.where(known, assigned) == "2");
  CHECK(known.reason_of(free.source->id) == fg::detail::placement_reason::cost);
  CHECK(known.reason_of(asked.source->id) == fg::detail::placement_reason::asked);
  for (const auto& g : second.groups) {
    CHECK(g.allowed.size() == (g.nodes[0] == asked.source ? 1 : 3));
    CHECK(g.nodes.size() >= (g.nodes[0] == fg::any_out(v).source ? 2 : 1));
  }
}

TEST_CASE("placement: what a policy has placed stays, and it is told where that is") {
  placed p;
  const auto a = p.constant("", "a");
  to_device policy(2);
  fg::detail::placement known(p.cpus, false, &policy);
  known.extend(p.g.state());
  policy.place = 1;
  fg::out<float> with;
  {
    const auto together = p.g.colocate_with(a);
    with = p.g.constant(2.f, {.name = "with"});
  }
  const auto b = p.constant("", "b");
  known.extend(p.g.state());
  CHECK(p.where(known, a) == "2");
  CHECK(p.where(known, with) == "2");
  CHECK(p.where(known, b) == "1");
  REQUIRE(policy.groups.size() == 3);
  CHECK(policy.groups[0].allowed == std::vector<std::uint32_t>{2});
  known.extend(p.g.state());
  CHECK(policy.asked == 2);
}

TEST_CASE(
    "placement: a policy that names no device of the group's is not heard, and nodes that cannot stand anywhere are kept from "
    "it") {
  placed p;
  const auto free = p.constant("", "free"), lost = p.constant("/cpu:9", "lost"), soft = p.constant("/job:ps/cpu:1", "soft");
  to_device nowhere(7);
  fg::detail::placement known(p.cpus, false, &nowhere);
  known.extend(p.g.state());
  CHECK(p.where(known, free) == "0");
  CHECK(known.reason_of(free.source->id) == fg::detail::placement_reason::first);
  CHECK(holds(p.where(known, lost), "no device /device:cpu:9"));
  CHECK(holds(p.where(known, soft), "no device /job:ps"));
  CHECK(nowhere.groups.size() == 1);
}

namespace {

struct plus_one_op {
  static constexpr std::string_view name = "TestPlusOne";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + 1;
  }
};
// Reads its second input on the host, like Reshape its shape.
struct reads_size_op {
  static constexpr std::string_view name = "TestReadsSize";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr auto host_inputs = fg::host_inputs(1);
  fg::shape shape(const fg::shape& x, const fg::shape&) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<const float>, fg::view<float> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i];
  }
};

}  // namespace

TEST_CASE("placement: nodes without a constraint run on the device of highest priority that has a kernel for them") {
  fg::device_list devices;
  for (const char* name : {"cpu:0", "accel:0", "accel:1"}) devices.push_back(std::make_unique<fg::device>(name));
  devices[1].set_priority(1);
  devices[2].set_priority(2);
  for (std::size_t d = 1; d < 3; ++d) REQUIRE(devices[d].add<plus_one_op>());
  REQUIRE(devices[1].add<add_op>());
  REQUIRE(devices[1].add<reads_size_op>());
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::apply(plus_one_op{}, x, {.name = "y"});
  const auto sum = fg::apply(add_op{}, y, x, {.name = "sum"});
  const auto product = fg::apply(multiply_op{}, y, x, {.name = "product"});
  const auto size = fg::apply(plus_one_op{}, x, {.name = "size"});
  const auto read = fg::apply(reads_size_op{}, y, size, {.name = "read"});
  fg::out<float> asked;
  {
    const auto on = g.on_device("/cpu:0");
    asked = fg::apply(plus_one_op{}, x, {.name = "asked"});
  }
  fg::detail::placement known(devices, false);
  known.extend(g.state());
  using fg::detail::placement_reason;
  const auto check = [&](fg::any_out at, std::uint32_t place, placement_reason why) {
    CHECK(known.place_of(*at.source).value() == place);
    CHECK(known.reason_of(at.source->id) == why);
  };
  check(y, 2, placement_reason::priority);
  check(sum, 1, placement_reason::only_kernel);
  check(product, 0, placement_reason::only_kernel);
  check(size, 0, placement_reason::host_reads);
  check(read, 1, placement_reason::only_kernel);
  check(asked, 0, placement_reason::asked);
  fg::session s{g, {.devices = devices}};
  const auto [a, b, c] = s.run(fg::fetch(sum, product, read), {{x, 2.f}});
  CHECK(a.scalar() == 5);
  CHECK(b.scalar() == 6);
  CHECK(c.scalar() == 3);
}

TEST_CASE("placement: a node that requests the device of an earlier node, which has no kernel for it") {
  fg::device_list devices;
  for (const char* name : {"cpu:0", "accel:0"}) devices.push_back(std::make_unique<fg::device>(name));
  devices[1].set_priority(1);
  REQUIRE(devices[1].add<plus_one_op>());
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::apply(plus_one_op{}, x, {.name = "y"});
  fg::detail::placement hard(devices, false), soft(devices, true);
  hard.extend(g.state());
  soft.extend(g.state());
  CHECK(soft.place_of(*y.source).value() == 1);
  const auto with = g.colocate_with(y);
  const auto sum = fg::apply(add_op{}, y, x, {.name = "sum"});
  hard.extend(g.state());
  soft.extend(g.state());
  CHECK(soft.place_of(*sum.source).value() == 0);
  check_error(hard.place_of(*sum.source).error(), error_code::unimplemented, "sum", "TestAdd",
              {"no kernel of TestAdd for device /job:localhost/task:0/device:accel:0"});
}

TEST_CASE("placement: what has state keeps its device in all sessions that share the container") {
  fg::container shared;
  const fg::device_list cpus = fg::cpu_devices(3);
  const auto build = [](fg::graph& g, std::string_view device, std::source_location at = std::source_location::current()) {
    const auto there = g.on_device(device);
    return g.variable("v", fg::tensor<float>(fg::shape{}, {10}), {.name = {}, .location = at});
  };
  const auto stands_on = [](fg::session& s, const fg::out<float>& v, std::string_view device) {
    const auto e = s.explain(fg::fetch(v));
    return std::ranges::any_of(e.nodes, [&](const auto& n) { return n.name == "v" && n.device.ends_with(device); });
  };
  fg::graph first, second, third;
  const unsigned line = __LINE__;
  const auto a = build(first, "/cpu:2");
  const auto b = build(second, "");
  const auto c = build(third, "/cpu:1");
  fg::session one{first, {.resources = &shared, .devices = cpus}}, two{second, {.resources = &shared, .devices = cpus}},
      other{third, {.resources = &shared, .devices = cpus}},
      soft{third, {.resources = &shared, .devices = cpus, .soft_placement = true}};
  one.initialize();
  CHECK(stands_on(one, a, "cpu:2"));
  CHECK(stands_on(two, b, "cpu:2"));
  CHECK(two.run(fg::fetch(b)).scalar() == 10);
  const fg::error why = other.try_run(fg::fetch(c)).error();
  check_error(why, error_code::invalid_argument, "v", "VariableV2",
              {"'v' asks for /device:cpu:1, but its resource stands on /job:localhost/task:0/device:cpu:2",
               "where a session of its container has placed it for " + with_line("v", line + 1)});
  check_place(why, line + 3, __FILE__);
  CHECK(stands_on(soft, c, "cpu:2"));
  shared.clear();
  fg::session anew{third, {.resources = &shared, .devices = cpus}};
  anew.initialize();
  CHECK(stands_on(anew, c, "cpu:1"));
}

TEST_CASE("placement: where a policy has put what has state, other sessions of the container find it") {
  struct last_place final : fg::placement_policy {
    void choose(fg::placement_question& q) override {
      for (auto& group : q.groups) group.place = group.allowed.back();
    }
  } policy;
  fg::container shared;
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::graph first, second;
  first.variable("v", fg::tensor<float>(fg::shape{}, {10}));
  const auto b = second.variable("v", fg::tensor<float>(fg::shape{}, {20}));
  fg::session one{first, {.resources = &shared, .devices = cpus, .placement = &policy}};
  fg::session two{second, {.resources = &shared, .devices = cpus}};
  one.initialize();
  CHECK(to_text(two.explain(fg::fetch(b))).find("device:cpu:2") != std::string::npos);
  CHECK(two.run(fg::fetch(b)).scalar() == 10);
  fg::session alone{second, {.resources = &shared}};  // does not have the device
  CHECK(alone.run(fg::fetch(b)).scalar() == 10);
}

TEST_CASE("placement: session_options::place, the old name, gives a policy as well") {
  to_device policy(2);
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = add(x, x);
  fg::session s{g, {.devices = cpus, .place = &policy}};
  CHECK(s.run(fg::fetch(y), {{x, 1.f}}).scalar() == 2);
  CHECK(policy.asked > 0);
  CHECK(to_text(s.explain(fg::fetch(y))).find("device:cpu:2") != std::string::npos);
}

TEST_CASE("placement: two devices of one name are refused by it") {
  const fg::device_list cpus = fg::cpu_devices(1), more = fg::cpu_devices(2);
  fg::device first("accel:3"), second("accel:3");
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = add(x, x);
  const auto refused = [&](std::vector<const fg::device*> devices, std::string_view name) {
    fg::session s{g, {.devices = devices}};
    const fg::error why = s.try_run(fg::fetch(y), {{x, 1.f}}).error();
    CHECK(why.code() == error_code::invalid_argument);
    CHECK_MESSAGE(std::string_view(why.what()).find(name) != std::string_view::npos, why.what());
    CHECK_FALSE(s.try_prepare(fg::feed(x), fg::fetch(y)));
  };
  refused({&cpus[0], &more[0]}, "named /job:localhost/task:0/device:cpu:0");
  refused({&first, &second}, "named /job:localhost/task:0/device:accel:3");
  const fg::device* const different[] = {&more[0], &more[1], &first};
  fg::session right{g, {.devices = different}};
  CHECK(right.run(fg::fetch(y), {{x, 1.f}}).scalar() == 2);
}
