// Every place honours the memory of its device, whichever way a run goes.
#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/op/device_kernel.hpp>
#include <flowgraph/ops/data_flow/barrier.hpp>
#include <flowgraph/ops/data_flow/conditional_accumulator.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/data_flow/map_stage.hpp>
#include <flowgraph/ops/data_flow/stage.hpp>
#include <flowgraph/ops/state/session_tensor.hpp>
#include <flowgraph/runtime/queue/call.hpp>

#include "../../harness/engine_ops.hpp"

#include <map>

using namespace engine;

namespace {

// Knows which blocks are out.
class block_memory final : public std::pmr::memory_resource {
public:
  bool holds(const void* p) const {
    const auto* at = static_cast<const std::byte*>(p);
    const auto next = blocks_.upper_bound(at);
    return next != blocks_.begin() && at < std::prev(next)->first + std::prev(next)->second;
  }
  std::size_t taken() const { return taken_; }
  bool is_empty() const { return blocks_.empty(); }

private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    void* p = std::pmr::new_delete_resource()->allocate(size, alignment);
    blocks_[static_cast<const std::byte*>(p)] = size;
    ++taken_;
    return p;
  }
  void do_deallocate(void* p, std::size_t size, std::size_t alignment) override {
    blocks_.erase(static_cast<const std::byte*>(p));
    std::pmr::new_delete_resource()->deallocate(p, size, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::map<const std::byte*, std::size_t> blocks_;
  std::size_t taken_ = 0;
};

block_memory* device_blocks = nullptr;
int misplaced = 0, calls_on_device = 0;

// x + 1. It takes the memory of its input where it can, and wants scratch.
struct increment_op {
  static constexpr std::string_view name = "TestIncrement";
  static constexpr fg::op_facts facts{.not_differentiable = true, .in_place = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  std::size_t scratch(const fg::shape& x) const { return static_cast<std::size_t>(x.size()) * sizeof(float); }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y) const {
    misplaced += device_blocks->holds(y.data()) || device_blocks->holds(ctx.scratch());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + 1;
  }
};
void increment_on_device(const void*, fg::detail::kernel_call& call) {
  ++calls_on_device;
  const auto x = call.inputs[0]->tensor.as<float>();
  const auto y = call.outputs[0]->tensor.as_writable<float>();
  misplaced += !device_blocks->holds(y.data()) || !device_blocks->holds(call.scratch);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + 1;
}

std::size_t scratch_on_device(const void*, const fg::shape_inputs& in) {
  return static_cast<std::size_t>(in.shapes[0]->size()) * sizeof(float);
}

struct two_memories {
  block_memory memory;
  fg::device accelerator{"accel", &memory};
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});

  two_memories() {
    accelerator
        .add("TestIncrement", {}, {.run = &increment_on_device, .scratch = &scratch_on_device, .facts = {.in_place = true}})
        .value();
    device_blocks = &memory;
    misplaced = calls_on_device = 0;
  }
  ~two_memories() { device_blocks = nullptr; }

  fg::out<float> here(fg::out<float> from) { return fg::apply(increment_op{}, from); }
  fg::out<float> there(fg::out<float> from) {
    const auto on = g.on_device("/device:accel:0");
    return fg::apply(increment_op{}, from);
  }
  // By run and by a prepared step, with schedules and by the ready queue: the same answer, nothing in the wrong memory.
  void check(fg::out<float> y, float added) {
    const fg::device* const devices[] = {&accelerator};
    for (const bool dynamic : {false, true}) {
      fg::session s{g, {.devices = devices, .dynamic = dynamic}};
      auto step = s.prepare(fg::feed(x), fg::fetch(y));
      if (!dynamic) CHECK(step.plan().queued.empty());
      for (const std::size_t size : {std::size_t{3}, std::size_t{5000}, std::size_t{5000}}) {
        CHECK(step(filled(size, 1))[size - 1] == 1 + added);
        CHECK(s.run(fg::fetch(y), {{x, filled(size, 2)}})[0] == 2 + added);
      }
    }
    CHECK(misplaced == 0);
    CHECK(calls_on_device > 0);
    CHECK(memory.taken() > 0);
    CHECK(memory.is_empty());
  }
};

}  // namespace

TEST_CASE("device memory: outputs and scratch, where calls could take the memory of what they read") {
  two_memories m;
  auto y = m.x;
  for (int i = 0; i < 4; ++i) y = m.there(m.there(m.here(m.here(y))));
  m.check(y, 16);
}

TEST_CASE("device memory: a value that only goes by another name stays where it lies") {
  two_memories m;
  m.check(m.here(fg::identity(m.there(m.here(fg::identity(m.there(m.x)))))), 4);
}

TEST_CASE("device memory: a fetched output of the device") {
  two_memories m;
  m.check(m.there(m.here(m.x)), 2);
}

TEST_CASE("device memory: values that go round in a loop and change sides") {
  two_memories m;
  const auto zero = m.g.constant(0.f), one = m.g.constant(1.f), three = m.g.constant(3.f);
  const auto made = loop(
      {zero, m.x, m.x}, [&](const values& v) { return less(v[0], invariant(three)); },
      [&](const values& v) {
        return values{add(v[0], invariant(one)), m.there(m.here(v[2])), m.here(m.there(v[1]))};
      });
  m.check(add(made[1], multiply(made[2], m.g.constant(0.f))), 6);
}

TEST_CASE("device memory: the sides of a condition lie in different memory") {
  two_memories m;
  const auto sides = fg::switch_(m.here(m.x), less(m.g.constant(0.f), m.g.constant(1.f)));
  const auto chosen = fg::merge({m.here(sides.if_false), m.there(sides.if_true)}).value;
  m.check(m.there(m.here(chosen)), 4);
}

namespace {

// Two CPUs with memories of their own, and a value of 4,000 bytes in three ways: fed, computed, and constant.
struct resting_values {
  counting_memory memories[2], of_session;
  fg::device first{"/job:localhost/task:0/device:cpu:0", &memories[0]},
      second{"/job:localhost/task:0/device:cpu:1", &memories[1]};
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {1000});
  fg::out<float> constant = g.constant(filled(1000, 2));

  template <class Make> auto on(int device, Make make) {
    const auto there = g.on_device(fg::message{"/cpu:", device}.string());
    return make();
  }
  // Each run of `put` leaves a value in the memory of the device, and nothing elsewhere; by runs and by a prepared step.
  void check(const fg::target& put, int device, std::size_t least = 4000) {
    const fg::device* const devices[] = {&first, &second};
    for (const bool is_cut : {false, true})
      for (const bool is_step : {false, true}) {
        CAPTURE(is_cut);
        CAPTURE(is_step);
        {
          fg::session s{g, {.memory = &of_session, .devices = devices, .cut = is_cut ? fg::per_device : fg::cutting{}}};
          auto step = s.prepare(fg::feed(x), fg::fetch(), put);
          const fg::tensor<float> in = filled(1000, 3);
          const auto run = [&] { is_step ? static_cast<void>(step(in)) : static_cast<void>(s.run(put, {{x, in}})); };
          run();  // what is taken once is taken then
          const std::size_t here = memories[device].in_use(), there = memories[1 - device].in_use(),
                            session = of_session.in_use();
          for (int i = 0; i < 3; ++i) run();
          CHECK(memories[device].in_use() >= here + 3 * least);
          CHECK(memories[device].in_use() <= here + 3 * least + 1500);
          CHECK(memories[1 - device].in_use() == there);
          CHECK(of_session.in_use() < session + 1000);
        }
        CHECK(memories[0].in_use() == 0);
        CHECK(memories[1].in_use() == 0);
      }
  }
};

}  // namespace

TEST_CASE(
    "device memory: elements of a queue lie in the memory of its device, whatever they are made of and whoever brings them") {
  for (const int device : {0, 1}) {
    resting_values r;
    const auto q = r.on(device, [&] { return fg::fifo_queue<float>(r.g, {.capacity = 100, .shapes = {{1000}}}); });
    const auto computed = r.on(1 - device, [&] { return add(r.x, r.x); });
    r.check(q.enqueue(r.x), device);
    r.check(q.enqueue(r.constant), device);
    r.check(q.enqueue(computed), device);
    r.check(q.enqueue(r.on(device, [&] { return add(r.x, computed); })), device);
    const auto rows = r.on(device, [&] { return fg::fifo_queue<float>(r.g, {.capacity = 100'000, .shapes = {{}}}); });
    r.check(rows.enqueue_many(r.x), device);
  }
}

TEST_CASE("device memory: staging areas, barriers, accumulators and kept tensors lie in the memory of their device, too") {
  for (const int device : {0, 1}) {
    resting_values r;
    r.on(device, [&] {
      const fg::staging_area<float> area(r.g);
      r.check(area.put(r.x), device);
      const fg::barrier<float> complete(r.g, {.shapes = {{}}});
      const auto keys = r.g.placeholder<std::string>("keys", {1000});
      fg::tensor<std::string> names(fg::shape{1000});
      for (std::size_t i = 0; i < 1000; ++i) names.writable()[i] = std::to_string(i);
      const auto inserted = complete.insert_many<0>(keys, r.x);
      const fg::device* const devices[] = {&r.first, &r.second};
      {
        fg::session s{r.g, {.memory = &r.of_session, .devices = devices}};
        s.run(inserted, {{keys, names}, {r.x, filled(1000, 1)}});
        CHECK(r.memories[device].in_use() >= 4000);
        CHECK(r.memories[device].in_use() < 6000);
        CHECK(r.memories[1 - device].in_use() == 0);
      }
      const fg::conditional_accumulator<float> mean(r.g, {.shape = {1000}});
      const auto given = mean.apply_gradient(r.x, r.g.constant(std::int64_t{0}));
      {
        fg::session s{r.g, {.memory = &r.of_session, .devices = devices}};
        for (int i = 0; i < 3; ++i) s.run(given, {{r.x, filled(1000, 1)}});
        CHECK(r.memories[device].in_use() >= 4000);
        CHECK(r.memories[device].in_use() < 6000);
        CHECK(r.memories[1 - device].in_use() == 0);
      }
      r.check(fg::session_handle(r.x), device);
      return 0;
    });
  }
}

TEST_CASE("device memory: elements of a queue count against the limit of its device; beyond it the error names node and device") {
  for (const std::string_view where : {"/cpu:0", "/cpu:1"}) {
    fg::graph g;
    const fg::device_list cpus = fg::cpu_devices(2, 12'000);
    const auto there = g.on_device(where);
    const fg::fifo_queue<float> q(g, {.capacity = 100, .shapes = {{1000}}});
    const auto put = q.enqueue(g.constant(filled(1000, 2)), {.name = "put"});
    const auto taken = q.dequeue();
    for (const bool is_cut : {false, true}) {
      fg::session s{g, {.devices = cpus, .cut = is_cut ? fg::per_device : fg::cutting{}}};
      const auto& budget = *cpus[where == "/cpu:1"].budget();
      for (int i = 1; i <= 2; ++i) {
        s.run(put);
        CHECK(budget.in_use() >= static_cast<std::size_t>(i) * 4000);
      }
      const fg::error why = s.try_run(put).error();
      check_error(why, error_code::resource_exhausted, "put", "QueueEnqueueV2",
                  {"the limit of /job:localhost/task:0/device:cpu:" + std::string(where.substr(5)) + " is 12000"});
      CHECK(s.run(fg::fetch(q.size())).scalar() == 2);
      CHECK(s.run(fg::fetch(taken))[999] == 2);
      s.run(put);  // there is room again
      CHECK(s.run(fg::fetch(q.size())).scalar() == 2);
    }
    CHECK(cpus[0].budget()->in_use() == 0);
    CHECK(cpus[1].budget()->in_use() == 0);
  }
}

TEST_CASE("device memory: elements of a queue that are loaded lie in the memory of its device") {
  resting_values r;
  const auto q = r.on(1, [&] { return fg::fifo_queue<float>(r.g, {.capacity = 100, .shapes = {{1000}}}); });
  const auto put = q.enqueue(r.x);
  const auto size = q.size();
  const fg::device* const devices[] = {&r.first, &r.second};
  fg::container filled_one, loaded;
  {
    fg::session s{r.g, {.resources = &filled_one, .devices = devices}};
    for (int i = 0; i < 3; ++i) s.run(put, {{r.x, filled(1000, 1)}});
  }
  filled_one.save().value();
  REQUIRE_FALSE(loaded.load(filled_one.save().value()));
  filled_one.clear();
  CHECK(r.memories[1].in_use() == 0);
  {
    fg::session s{r.g, {.resources = &loaded, .devices = devices}};
    CHECK(s.run(fg::fetch(size)).scalar() == 3);
    CHECK(r.memories[1].in_use() >= 12'000);
    CHECK(s.run(fg::fetch(q.dequeue()))[999] == 1);
  }
  loaded.clear();
  CHECK(r.memories[1].in_use() == 0);
}

TEST_CASE("device memory: the kernel of a device has its own facts, not those of the op's kernel") {
  static int overwritten, given;
  overwritten = given = 0;
  fg::device accelerator("accel");
  const auto kernel = [](const increment_op&, fg::device_context ctx, fg::view<const float> x, fg::view<float> y) {
    overwritten += x.data() == y.data();
    given += ctx.scratch() != nullptr;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + 1;
  };
  REQUIRE(accelerator.add<increment_op>(kernel));
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = x;
  const auto on = g.on_device("/device:accel:0");
  for (int i = 0; i < 4; ++i) y = fg::apply(increment_op{}, y);
  const fg::device* const devices[] = {&accelerator};
  for (const bool dynamic : {false, true}) {
    fg::session s{g, {.devices = devices, .dynamic = dynamic}};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    for (int i = 0; i < 3; ++i) CHECK(step(filled(5000, 1))[4999] == 5);
    CHECK(s.run(fg::fetch(y), {{x, filled(3, 2)}})[0] == 6);
  }
  CHECK(overwritten == 0);
  CHECK(given == 0);
}
