#include <flowgraph/op/variable_state.hpp>

#include "../core/memory.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace fg = flowgraph;

namespace {

struct variable {
  test::counting_memory memory;
  fg::variable_state* state = new fg::variable_state(fg::dtype::float32, {2}, &memory);
  fg::resource owner{state};
  void assign(std::initializer_list<float> values) { state->value() = fg::tensor<float>({2}, values).erased(); }
};

}  // namespace

TEST_CASE("a variable begins without a value") {
  variable v;
  CHECK(v.state->type() == fg::dtype::float32);
  CHECK(v.state->shape() == fg::shape{2});
  CHECK_FALSE(v.state->read().has_value());
  CHECK(v.owner.as<fg::variable_state>() == v.state);
}

TEST_CASE("a writer changes the elements in place when nobody else reads them") {
  variable v;
  v.assign({1, 2});
  const void* before = v.state->value().data();
  const auto own = v.state->own(true);
  REQUIRE(own);
  CHECK((*own)->data() == before);
  CHECK(v.memory.allocations() == 0);
}

TEST_CASE("a writer replaces the elements while somebody reads them, and copies them only if asked") {
  variable v;
  v.assign({1, 2});
  const fg::any_tensor reader = v.state->read();
  const auto own = v.state->own(true);
  REQUIRE(own);
  CHECK((*own)->data() != reader.data());
  CHECK((*own)->as<float>()[1] == 2.f);
  (*own)->as_writable<float>()[1] = 9;
  CHECK(reader.as<float>()[1] == 2.f);
  CHECK(v.memory.allocations() == 1);  // from the variable's own memory

  const fg::any_tensor second = v.state->read();
  const auto fresh = v.state->own(false);
  REQUIRE(fresh);
  CHECK((*fresh)->data() != second.data());
  CHECK((*fresh)->shape() == fg::shape{2});
  CHECK(second.as<float>()[1] == 9.f);
}

TEST_CASE("a writer that finds no memory leaves the value") {
  test::refusing_memory none;
  auto* state = new fg::variable_state(fg::dtype::float32, {1}, &none);
  const fg::resource owner(state);
  state->value() = fg::tensor<float>({1}, {3}).erased();
  const fg::any_tensor reader = state->read();
  CHECK(state->own(true).error().code() == fg::error_code::resource_exhausted);
  CHECK(state->read().as<float>()[0] == 3.f);
}

TEST_CASE("writers under the lock lose nothing, and readers see whole values") {
  variable v;
  v.assign({0, 0});
  std::atomic<bool> end = false;
  std::atomic<int> torn = 0;
  std::thread reader([&] {
    while (!end) {
      const fg::any_tensor t = v.state->read();
      torn += t.as<float>()[0] != t.as<float>()[1];
    }
  });
  std::vector<std::thread> writers;
  for (int t = 0; t < 3; ++t)
    writers.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        v.state->lock();
        auto own = v.state->own(true);
        for (float& e : (*own)->as_writable<float>()) e += 1;
        v.state->unlock();
      }
    });
  for (std::thread& t : writers) t.join();
  end = true;
  reader.join();
  CHECK(torn == 0);
  CHECK(v.state->read().as<float>()[0] == 3000.f);
}
