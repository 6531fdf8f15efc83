#include <flowgraph/op/variable_set.hpp>

#include <flowgraph/op/kernel.hpp>

#include "../core/memory.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace fg = flowgraph;

namespace {

fg::any_tensor two_of(float value) { return fg::tensor<float>({2}, {value, value}).erased(); }

struct two_members {
  test::counting_memory memory;
  fg::variable_set_state* set = new fg::variable_set_state(
      "weights", {{"w", fg::dtype::float32, {2}, &memory}, {"b", fg::dtype::float32, {2}, &memory}}, {two_of(0), two_of(0)});
  fg::resource owner{set};

  fg::error swap_to(float value) {
    return set->swap([&](fg::variable_set_state::staged& s) {
      const fg::error first = s.put(0, two_of(value));
      return first ? first : s.put(1, two_of(-value));
    });
  }
};

}  // namespace

TEST_CASE("a version that is pinned stays as it was while others come") {
  two_members t;
  REQUIRE_FALSE(t.swap_to(1));
  const fg::variable_set_state::version& old = t.set->pin();
  for (float k = 2; k < 20; ++k) REQUIRE_FALSE(t.swap_to(k));
  CHECK(old.tensors[0].as<float>()[0] == 1);
  CHECK(old.tensors[1].as<float>()[1] == -1);
  CHECK(t.set->latest(0).as<float>()[0] == 19);
  CHECK(t.set->versions() <= 3);
  fg::variable_set_state::unpin(old);
  t.set->collect();
  CHECK(t.set->versions() == 1);
}

TEST_CASE("a member that is not written keeps its value, and a swap that fails changes nothing") {
  two_members t;
  REQUIRE_FALSE(t.swap_to(1));
  REQUIRE_FALSE(t.set->swap([](fg::variable_set_state::staged& s) { return s.put(0, two_of(5)); }));
  CHECK(t.set->latest(0).as<float>()[0] == 5);
  CHECK(t.set->latest(1).as<float>()[0] == -1);

  const fg::error refused = t.set->swap([](fg::variable_set_state::staged& s) {
    const fg::error first = s.put(0, two_of(7));
    return first ? first : s.put(1, fg::tensor<double>({2}, {1, 2}).erased());
  });
  CHECK(refused.code() == fg::error_code::invalid_argument);
  for (const char* part : {"'b'", "'weights'", "float", "double"}) CHECK(refused.message().find(part) != std::string_view::npos);
  CHECK(t.set->latest(0).as<float>()[0] == 5);
}

TEST_CASE("a value is shared when it owns its elements, and copied into the member's memory otherwise") {
  two_members t;
  const fg::any_tensor owned = two_of(3);
  REQUIRE_FALSE(t.set->swap([&](fg::variable_set_state::staged& s) { return s.put(0, owned); }));
  CHECK(t.set->latest(0).data() == owned.data());
  CHECK(t.memory.allocations() == 0);

  REQUIRE_FALSE(t.set->swap([&](fg::variable_set_state::staged& s) {
    const auto elements = s.write(1);
    REQUIRE(elements);
    (*elements)->as_writable<float>()[0] = 8;
    (*elements)->as_writable<float>()[1] = 9;
    return fg::error();
  }));
  CHECK(t.memory.allocations() == 1);
  CHECK(t.set->latest(1).as<float>()[1] == 9);
}

TEST_CASE("a run reads one version of a set from its first reading to its end") {
  two_members t;
  REQUIRE_FALSE(t.swap_to(1));
  for (const bool has_threads : {false, true}) {
    fg::set_pins pins(has_threads);
    const float first = pins.read(*t.set, 0).as<float>()[0];
    REQUIRE_FALSE(t.swap_to(first + 1));
    CHECK(pins.read(*t.set, 1).as<float>()[0] == -first);
    CHECK(&pins.of(*t.set) == &pins.of(*t.set));
    pins.release();
    CHECK(pins.read(*t.set, 0).as<float>()[0] == first + 1);
  }
}

TEST_CASE("readers never see two versions mixed while a writer swaps") {
  two_members t;
  std::atomic<bool> ends = false, mixed = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      while (!ends) {
        const auto& v = t.set->pin();
        if (v.tensors[0].as<float>()[0] != -v.tensors[1].as<float>()[1]) mixed = true;
        fg::variable_set_state::unpin(v);
      }
    });
  for (float k = 1; k < 500; ++k) CHECK_FALSE(t.swap_to(k));
  ends = true;
  for (std::thread& r : readers) r.join();
  CHECK_FALSE(mixed);
}
