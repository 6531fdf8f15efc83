// What really crosses between devices in a run: how many copies, of how many bytes, and where what has crossed lies.
#include <flowgraph/op/device.hpp>
#include <flowgraph/op/device_kernel.hpp>
#include <flowgraph/ops/data_flow/optional.hpp>
#include <flowgraph/ops/data_flow/tensor_list.hpp>
#include <flowgraph/runtime/explain.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;

namespace {

struct traffic {
  int copies = 0;
  std::size_t bytes = 0;
  bool operator==(const traffic&) const = default;
};

// Memory apart whose copies are counted. It lies on the heap, so that kernels of the CPU may run there.
class counted_copies final : public fg::far_memory {
public:
  traffic in, out, across;
  void clear() { in = out = across = {}; }

  void copy_in(const void* host, void* here, std::size_t bytes) override { copy(in, host, here, bytes); }
  fg::error copy_out(const void* here, void* host, std::size_t bytes) override {
    return copy(out, here, host, bytes), fg::error();
  }
  void copy_within(const void* from, void* to, std::size_t bytes) override { std::memmove(to, from, bytes); }
  fg::error copy_from(fg::far_memory&, const void* there, void* here, std::size_t bytes) override {
    return copy(across, there, here, bytes), fg::error();
  }
  fg::error finish() override { return {}; }

private:
  static void copy(traffic& counted, const void* from, void* to, std::size_t bytes) {
    ++counted.copies;
    counted.bytes += bytes;
    std::memcpy(to, from, bytes);
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
};

// A host and two devices with memories apart.
struct counted_devices {
  counted_copies memories[2];
  fg::device first{"accel:0", &memories[0]}, second{"accel:1", &memories[1]};
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  fg::out<bool> taken = g.placeholder<bool>("taken", {});

  counted_devices() {
    for (fg::device* d : {&first, &second}) {
      d->add<add_op>().value();
      d->add<less_op>().value();
      d->add<multiply_op>().value();
    }
  }
  template <class Make> auto on(int device, Make make) {
    const auto there = g.on_device(fg::message{"/device:accel:", device}.string());
    return make();
  }
  // What one run copies, in all ways to run, which must agree: to and from the first device, to and from the second, and from one to the other.
  std::vector<traffic> count(fg::out<float> y, bool takes, std::size_t size, float expected) {
    std::vector<traffic> found;
    const fg::device* const devices[] = {&first, &second};
    for (const fg::session_options& way : {fg::session_options{.devices = devices},
                                           {.devices = devices, .dynamic = true},
                                           {.devices = devices, .cut = fg::per_device}}) {
      fg::session s{g, way};
      auto step = s.prepare(fg::feed(x, taken), fg::fetch(y));
      const fg::tensor<float> in = filled(size, 1);
      for (int run = 0; run < 4; ++run) {
        for (counted_copies& m : memories) m.clear();
        const float last = run % 2 ? step(in, takes)[size - 1] : s.run(fg::fetch(y), {{x, in}, {taken, takes}})[size - 1];
        CHECK(last == expected);
        std::vector<traffic> now;
        for (const counted_copies& m : memories) now.insert(now.end(), {m.in, m.out});
        now.push_back(
            {memories[0].across.copies + memories[1].across.copies, memories[0].across.bytes + memories[1].across.bytes});
        if (run > 0 || !found.empty()) CHECK(now == found);
        found = now;
      }
    }
    return found;
  }
};

}  // namespace

TEST_CASE("crossing: a branch that is taken sends its bytes once, one that is not sends none") {
  counted_devices d;
  const auto sides = fg::switch_(d.x, d.taken);
  const auto yes = d.on(0, [&] { return add(add(sides.if_true, sides.if_true), sides.if_true); });
  const auto no = d.on(1, [&] { return add(sides.if_false, sides.if_false); });
  const auto y = fg::merge({no, yes}).value;
  const traffic none, all{1, 400};
  CHECK(d.count(y, true, 100, 3) == std::vector<traffic>{all, all, none, none, none});
  CHECK(d.count(y, false, 100, 2) == std::vector<traffic>{none, none, all, all, none});
}

TEST_CASE("crossing: what is dead on one device sends no bytes to another, nor what comes of it") {
  counted_devices d;
  const auto made = d.on(0, [&] { return add(d.x, d.x); });
  const auto sides = d.on(0, [&] { return fg::switch_(made, d.taken); });
  const auto far = d.on(1, [&] { return add(sides.if_true, add(sides.if_true, sides.if_true)); });
  const auto back = d.on(0, [&] { return add(far, sides.if_true); });
  const auto y = fg::merge({sides.if_false, back}).value;
  const traffic none, all{1, 40};
  CHECK(d.count(y, true, 10, 8) == std::vector<traffic>{all, all, none, none, {2, 80}});
  CHECK(d.count(y, false, 10, 2) == std::vector<traffic>{all, all, none, none, none});
}

TEST_CASE("crossing: a value with 100 readers is copied once to each device, as explain says") {
  counted_devices d;
  const auto made = d.on(0, [&] { return add(d.x, d.x); });
  auto sum = d.on(1, [&] { return add(made, made); });
  for (int i = 0; i < 99; ++i) sum = d.on(1, [&] { return add(sum, made); });
  const auto y = add(sum, made);
  const traffic all{1, 4000};
  CHECK(d.count(y, true, 1000, 204) == std::vector<traffic>{all, all, {}, all, all});
  const fg::device* const devices[] = {&d.first, &d.second};
  fg::session s{d.g, {.devices = devices}};
  const fg::explanation e = s.explain(fg::fetch(y), {{d.x, {1000}}});
  CHECK(e.transfers == 4);
  CHECK(e.crossing_bytes == 4 * 4000);
}

TEST_CASE("crossing: in a loop a value is copied once per iteration, as explain says") {
  counted_devices d;
  const auto zero = d.g.constant(0.f), one = d.g.constant(1.f), limit = d.g.constant(5.f);
  const auto made = loop(
      {zero, d.x}, [&](const values& v) { return less(v[0], invariant(limit)); },
      [&](const values& v) {
        return values{add(v[0], invariant(one)), d.on(0, [&] { return add(v[1], v[1]); })};
      });
  const auto y = made[1];
  const traffic all{5, 5 * 400};
  CHECK(d.count(y, true, 100, 32) == std::vector<traffic>{all, all, {}, {}, {}});
  const fg::device* const devices[] = {&d.first, &d.second};
  fg::session s{d.g, {.devices = devices}};
  const fg::explanation e = s.explain(fg::fetch(y), {{d.x, {100}}});
  REQUIRE(e.frames.size() == 2);
  CHECK(e.frames[1].transfers == 2);
}

namespace {

// Memory on the heap that knows how much is out, of one device.
struct counted_cpus {
  counting_memory memories[2];
  fg::device first{"/job:localhost/task:0/device:cpu:0", &memories[0]},
      second{"/job:localhost/task:0/device:cpu:1", &memories[1]};
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});

  template <class Make> auto on(int device, Make make) {
    const auto there = g.on_device(fg::message{"/cpu:", device}.string());
    return make();
  }
  // All ways to run, and what was taken of the second device's memory in the last run.
  template <class Check> void each_way(Check check) {
    const fg::device* const devices[] = {&first, &second};
    for (const fg::session_options& way : {fg::session_options{.devices = devices},
                                           {.devices = devices, .dynamic = true},
                                           {.devices = devices, .cut = fg::per_device}}) {
      fg::session s{g, way};
      check(s);
      CHECK(memories[0].in_use() == 0);
      CHECK(memories[1].in_use() == 0);
    }
  }
};

// Where the elements of its input lie that it is asked to hold against a memory.
struct lies_op {
  static constexpr std::string_view name = "Lies";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  std::pmr::memory_resource* memory = nullptr;
  fg::shape shape(const fg::shape&) const { return {}; }
  void operator()(fg::cpu ctx, fg::view<const float>, fg::view<bool> is_there) const {
    const fg::any_tensor& in = ctx.input(0);
    is_there.scalar() = in.is_owned() && in.owner()->memory() == memory;
  }
};

}  // namespace

TEST_CASE("crossing: a list crosses as its elements, which lie in the memory of the device that reads it then") {
  counted_cpus d;
  const auto twice = add(d.x, d.x);
  const auto list = d.on(0, [&] {
    fg::tensor_list<float> made(d.g, 3, {.element_shape = {fg::any}});
    return made.set(0, d.x).set(2, twice);
  });
  const auto there = d.on(1, [&] { return fg::apply(lies_op{&d.memories[1]}, list.get(2)); });
  const auto here = d.on(0, [&] { return fg::apply(lies_op{&d.memories[1]}, list.get(2)); });
  const auto changed = d.on(1, [&] { return list.set(1, d.x).set(0, twice).get(0); });
  const auto kept = d.on(0, [&] { return list.get(0); });
  d.each_way([&](fg::session& s) {
    for (int run = 0; run < 3; ++run) {
      const auto [a, b, c, k] = s.run(fg::fetch(there, here, changed, kept), {{d.x, filled(100, 3)}});
      CHECK(a.scalar());
      CHECK_FALSE(b.scalar());
      CHECK(c[99] == 6);
      CHECK(k[99] == 3);  // the list there is another one
    }
  });
}

TEST_CASE("crossing: lists in lists, optionals with a value, without, and in a list") {
  counted_cpus d;
  const auto inner = d.on(0, [&] { return fg::tensor_list<float>(d.g, 2, {.element_shape = {fg::any}}).set(1, d.x); });
  const auto outer = d.on(0, [&] {
    return fg::tensor_list<fg::variant>(d.g, 2, {.element_shape = {}})
        .set(0, inner.handle)
        .set(1, fg::optional_of(d.x, inner.handle));
  });
  const auto [held, list] = d.on(1, [&] { return fg::values_of<float, fg::variant>(outer.get(1)); });
  const auto none = d.on(0, [&] { return fg::no_optional(d.g); });
  const auto some = d.on(0, [&] { return fg::optional_of(d.x); });
  const auto values = d.on(1, [&] {
    const fg::tensor_list<float> first(outer.get(0)), second(list);
    return std::tuple{fg::apply(lies_op{&d.memories[1]}, held),
                      fg::apply(lies_op{&d.memories[1]}, first.get(1)),
                      fg::apply(lies_op{&d.memories[1]}, second.get(1)),
                      second.get(1),
                      fg::has_value(none),
                      fg::has_value(some),
                      fg::apply(lies_op{&d.memories[1]}, fg::values_of<float>(some))};
  });
  d.each_way([&](fg::session& s) {
    const auto [a, b, c, y, has_none, has_some, e] = std::apply(
        [&](const auto&... edges) {
          return s.run(fg::fetch(edges...), {{d.x, filled(50, 7)}});
        },
        values);
    CHECK(a.scalar());
    CHECK(b.scalar());
    CHECK(c.scalar());
    CHECK(e.scalar());
    CHECK(y[49] == 7);
    CHECK_FALSE(has_none.scalar());
    CHECK(has_some.scalar());
  });
}

TEST_CASE(
    "crossing: a list whose elements the device has no memory for is an error that names the device, and the next run is right") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const fg::device_list cpus = fg::cpu_devices(2, 16'384);
  fg::tensor_list<float> list(g, 4, {.element_shape = {fg::any}});
  for (int i = 0; i < 4; ++i) list = list.set(i, x);
  const auto y = [&] {
    const auto there = g.on_device("/cpu:1");
    return list.size();
  }();
  for (const bool is_cut : {false, true}) {
    fg::session s{g, {.devices = cpus, .cut = is_cut ? fg::per_device : fg::cutting{}}};
    const fg::error why = s.try_run(fg::fetch(y), {{x, filled(2000, 1)}}).error();
    CHECK(why.code() == error_code::resource_exhausted);
    CHECK_MESSAGE(
        std::string_view(why.what()).find("the limit of /job:localhost/task:0/device:cpu:1 is 16384") != std::string_view::npos,
        why.what());
    CHECK(why.op() == "_Transfer");
    CHECK(s.run(fg::fetch(y), {{x, filled(200, 1)}}).scalar() == 4);
  }
}

namespace {

// x, with an end of its own.
struct lengthen_op {
  static constexpr std::string_view name = "Lengthen";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const std::string> x, fg::view<std::string> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + std::string("\0!", 2);
  }
};

}  // namespace

TEST_CASE("crossing: strings cross by their lengths, with zeros in them, empty ones, long ones and none") {
  counted_cpus d;
  const auto s = d.g.placeholder<std::string>("s", {fg::any});
  const auto there = d.on(1, [&] { return fg::apply(lengthen_op{}, s); });
  const auto back = d.on(0, [&] { return fg::apply(lengthen_op{}, there); });
  const auto list = d.on(0, [&] { return fg::tensor_list<std::string>(d.g, 1, {.element_shape = {fg::any}}).set(0, back); });
  const auto of_list = d.on(1, [&] { return fg::apply(lengthen_op{}, list.get(0)); });
  const std::vector<std::string> given{"", std::string("\0", 1), std::string("a\0b\0", 4), std::string(100'000, 'x')};
  const std::string end("\0!", 2);
  d.each_way([&](fg::session& session) {
    auto step = session.prepare(fg::feed(s), fg::fetch(back));
    for (int run = 0; run < 3; ++run) {
      const fg::tensor<std::string> in({given.size()}, given);
      const auto [a, b] = session.run(fg::fetch(back, of_list), {{s, in}});
      const auto c = step(in);
      for (std::size_t i = 0; i < given.size(); ++i) {
        CHECK(a[i] == given[i] + end + end);
        CHECK(b[i] == given[i] + end + end + end);
        CHECK(c[i] == given[i] + end + end);
      }
      CHECK(session.run(fg::fetch(back), {{s, fg::tensor<std::string>(fg::shape{0})}}).size() == 0);
    }
  });
}
