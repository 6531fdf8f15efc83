// Every place honours the memory of its device, whichever way a run goes.
#include <flowgraph/op/device.hpp>
#include <flowgraph/runtime/call.hpp>

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
  static constexpr bool not_differentiable = true;
  static constexpr bool in_place = true;
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

struct two_memories {
  block_memory memory;
  fg::device accelerator{"accel", &memory};
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});

  two_memories() {
    accelerator.add("TestIncrement", {}, &increment_on_device).value();
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
