#include <flowgraph/ops/data_flow/tensor_array_by_name.hpp>

#include "../../core/memory.hpp"
#include "../evaluate.hpp"

#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

using fg::error_code;

namespace {

const fg::tensor<float> one_two_three({3}, {1, 2, 3});

struct old_arrays {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {3});
  fg::out<float> start = g.constant(0.f);
  fg::out<std::int32_t> indices = g.constant(fg::tensor<std::int32_t>({3}, {2, 0, 1}));
  template <class Op> fg::out<std::string> make() {
    Op made;
    made.element = fg::dtype::float32;
    made.clear_after_read = false;
    return fg::apply(made, g.constant(3));
  }
  template <class T> std::vector<T> run(const fg::out<T>& y) {
    fg::session s{g};
    const auto once = ops_test::values(s.run(fg::fetch(y), {{x, one_two_three}}));
    CHECK(ops_test::values(s.run(fg::fetch(y), {{x, one_two_three}})) == once);
    return once;
  }
  template <class T> error_code code(const fg::out<T>& y) {
    const auto made = fg::session{g}.try_run(fg::fetch(y), {{x, one_two_three}});
    return made ? error_code::ok : made.error().code();
  }
};
using floats = std::vector<float>;

}  // namespace

TEST_CASE("arrays behind references and by name hold what is scattered, and have gradients") {
  old_arrays t;
  const auto by_reference = t.make<fg::tensor_array_op>();
  const auto first = fg::apply(fg::tensor_array_scatter_op{}, by_reference, t.indices, t.x, t.start);
  const auto v1 = fg::apply_as<float>({}, fg::tensor_array_gather_op{}, by_reference, t.indices, first);
  CHECK(t.run(v1) == floats{1, 2, 3});
  CHECK(t.run(fg::out<float>(fg::gradients(fg::sum(v1 * v1), t.x))) == floats{2, 4, 6});

  const auto by_name = t.make<fg::tensor_array_v2_op>();
  const auto second = fg::apply(fg::tensor_array_scatter_v2_op{}, by_name, t.indices, t.x, t.start);
  const auto v2 = fg::apply_as<float>({}, fg::tensor_array_read_v2_op{}, by_name, t.g.constant(2), second);
  CHECK(t.run(v2) == floats{1});
  CHECK(t.run(fg::out<float>(fg::gradients(v2 * v2, t.x))) == floats{2, 0, 0});
}

TEST_CASE("all elements at once") {
  old_arrays t;
  const auto array = t.make<fg::tensor_array_op>();
  const auto full = fg::apply(fg::tensor_array_unpack_op{}, array, t.x, t.start);
  CHECK(t.run(fg::apply_as<float>({}, fg::tensor_array_pack_op{}, array, full)) == floats{1, 2, 3});
  CHECK(t.run(fg::apply(fg::tensor_array_size_op{}, array, full)) == std::vector<std::int32_t>{3});
  const auto short_one = fg::slice(t.x, {0}, {2});
  CHECK(t.code(fg::apply(fg::tensor_array_unpack_op{}, array, short_one, t.start)) == error_code::invalid_argument);
}

TEST_CASE("a name that the run has not made is not found, and one that is no name is refused") {
  old_arrays t;
  const auto unknown = t.g.constant(fg::tensor<std::string>({2}, {"_tensor_arrays", "nobody"}));
  CHECK(t.code(fg::apply(fg::tensor_array_size_v2_op{}, unknown, t.start)) == error_code::not_found);
  const auto one_word = t.g.constant(std::string("nobody"));
  CHECK(t.code(fg::apply(fg::tensor_array_size_v2_op{}, one_word, t.start)) == error_code::invalid_argument);
}

TEST_CASE("names are the same in every run") {
  old_arrays t;
  const auto array = t.make<fg::tensor_array_v2_op>();
  CHECK(t.run(array)[0] == "_tensor_arrays");
  const auto closed = fg::apply(fg::tensor_array_close_v2_op{}, array);
  auto after = t.g.after(closed);
  CHECK(t.code(fg::apply(fg::tensor_array_size_v2_op{}, array, t.start)) == error_code::invalid_argument);
}

TEST_CASE(
    "a prepared step keeps arrays that are named by strings: each run finds its own, under the same name, and allocates "
    "nothing") {
  old_arrays t;
  const auto by_name = t.make<fg::tensor_array_v2_op>();
  const auto by_reference = t.make<fg::tensor_array_op>();
  const auto a = fg::apply(fg::tensor_array_scatter_v2_op{}, by_name, t.indices, t.x, t.start);
  const auto b = fg::apply(fg::tensor_array_scatter_op{}, by_reference, t.indices, t.x * t.x, t.start);
  const auto y = fg::apply_as<float>({}, fg::tensor_array_gather_v2_op{}, by_name, t.indices, a) +
                 fg::apply_as<float>({}, fg::tensor_array_gather_op{}, by_reference, t.indices, b);
  fg::out<float> slope = fg::gradients(fg::sum(y), t.x);
  test::counting_memory memory;
  fg::session s{t.g, {.memory = &memory}};
  auto named = s.prepare(fg::feed(t.x), fg::fetch(y, by_name));
  auto step = s.prepare(fg::feed(t.x), fg::fetch(y, slope));
  CHECK(step.plan().queued.empty());
  std::vector<fg::tensor<std::string>> held;
  std::size_t warm = 0;
  for (int i = 0; i < 100; ++i) {
    const auto x = static_cast<float>(i % 7);
    const fg::tensor<float> given({3}, {x, x + 1, x + 2});
    if (i < 10) {
      const auto [values, name] = named(given);
      CHECK(values[0] == x + x * x);
      held.push_back(name);
      CHECK(held.front()[1] == name[1]);
    }
    if (i == 18) warm = memory.allocations();
    const auto [values, slopes] = step(given);
    CHECK(values[2] == x + 2 + (x + 2) * (x + 2));
    CHECK(slopes[2] == 1 + 2 * (x + 2));
  }
  CHECK(memory.allocations() == warm);
}

TEST_CASE("an array that is named by strings is gone in the next run of a prepared step that does not make it") {
  old_arrays t;
  const auto name = t.g.placeholder<std::string>("name", {2});
  const auto wanted = t.g.placeholder<bool>("wanted", {});
  const auto array = t.make<fg::tensor_array_v2_op>();
  fg::session s{t.g};
  const auto size = fg::cond(
      wanted, [&] { return fg::apply(fg::tensor_array_size_v2_op{}, fg::identity(array), t.start); },
      [&] { return fg::apply(fg::tensor_array_size_v2_op{}, fg::identity(name), t.start); });
  const auto known = s.run(fg::fetch(array));
  auto only_asks = s.prepare(fg::feed(name), fg::fetch(fg::apply(fg::tensor_array_size_v2_op{}, name, t.start)));
  const auto late = only_asks.try_run({}, known);
  REQUIRE_FALSE(late.has_value());
  CHECK(late.error().code() == error_code::not_found);
  auto step = s.prepare(fg::feed(wanted, name), fg::fetch(size));
  const fg::tensor<std::string> nobody({2}, {"_tensor_arrays", "nobody"});
  for (int i = 0; i < 3; ++i) {
    CHECK(step(true, nobody).scalar() == 3);
    CHECK(step.try_run({}, false, nobody).error().code() == error_code::not_found);
  }
}
