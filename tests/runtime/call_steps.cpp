#include <flowgraph/runtime/call_steps.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;
namespace detail = fg::detail;

TEST_CASE("call_steps: scratch is one block per memory, as large as the largest call") {
  counting_memory first, second;
  {
    detail::scratch_memory scratch;
    void* const small = scratch.provide(100, &first);
    REQUIRE(small != nullptr);
    CHECK(scratch.provide(60, &first) == small);
    CHECK(first.allocations() == 1);
    CHECK(scratch.provide(10, &second) != small);
    CHECK(second.allocations() == 1);
    CHECK(scratch.provide(1000, &first) != nullptr);
    CHECK(first.allocations() == 2);
    scratch.release();
    CHECK(first.in_use() == 0);
    CHECK(second.in_use() == 0);
    CHECK(scratch.provide(8, &first) != nullptr);
  }
  CHECK(first.in_use() == 0);
}

TEST_CASE("call_steps: a resource is looked up once until its container is cleared") {
  fg::container resources;
  fg::run_services run;
  run.resources = &resources;
  detail::binding kept;
  fg::resource bound;
  fg::edge_value out;
  int looked_up = 0;
  const auto look_up = [&] {
    out.tensor = fg::tensor<float>(static_cast<float>(++looked_up)).erased();
    return true;
  };
  const auto value = [&] { return *out.tensor.as<float>().data(); };
  CHECK(detail::bind_resource(kept, run, out, bound, look_up));
  out = {};
  CHECK(detail::bind_resource(kept, run, out, bound, look_up));
  CHECK(looked_up == 1);
  CHECK(value() == 1.f);
  resources.clear();
  CHECK(detail::bind_resource(kept, run, out, bound, look_up));
  CHECK(value() == 2.f);
  resources.clear();
  CHECK_FALSE(detail::bind_resource(kept, run, out, bound, [] { return false; }));
}

TEST_CASE("call_steps: room is for exactly these elements of this type") {
  const fg::any_tensor t = zeros(6).erased();
  CHECK(detail::has_room_for(t, fg::dtype::float32, 6));
  CHECK_FALSE(detail::has_room_for(t, fg::dtype::float32, 5));
  CHECK_FALSE(detail::has_room_for(t, fg::dtype::int32, 6));
}
