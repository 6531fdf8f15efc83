#include <flowgraph/runtime/queue/executor.hpp>

#include "../../harness/engine_ops.hpp"

#include <memory_resource>

using namespace engine;
using fg::detail::executor;

namespace {

struct executed {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2});
  fg::out<float> a = fg::apply(add_op{}, x, x, {"a"});
  fg::out<float> b = fg::apply(multiply_op{}, a, a, {"b"});
  fg::container resources;
  fg::run_services services;
  const fg::run_options options;  // a run refers to them until it ends
  std::shared_ptr<executor> runs;

  explicit executed(bool is_dynamic = false) {
    services.memory = std::pmr::new_delete_resource();
    services.resources = &resources;
    const fg::any_out feeds[]{x}, fetches[]{b, a};
    fg::detail::plan_request request;
    request.feeds = feeds;
    request.fetches = fetches;
    request.is_dynamic = is_dynamic;
    runs = std::make_shared<executor>(fg::detail::make_plan(g, request).value(), services);
  }
  // Each fetch can be taken once.
  float fetched(std::size_t k, std::size_t i) {
    const auto made = runs->take(k);
    REQUIRE(made);
    return made->as<float>()[i];
  }
};

fg::any_tensor pair(float first, float second) { return fg::tensor<float>({2}, {first, second}).erased(); }

}  // namespace

TEST_CASE("executor: a run is start, feed, drive, take, end; the next run begins anew") {
  executed e;
  for (const float first : {1.f, 3.f}) {
    e.runs->start(e.options, false);
    e.runs->feed(0, pair(first, 2));
    REQUIRE_FALSE(e.runs->drive());
    CHECK(e.fetched(0, 0) == 4 * first * first);
    CHECK(e.fetched(1, 1) == 4);
    e.runs->end(true);
  }
}

TEST_CASE("executor: walking the records in order gives what the ready queue gives") {
  for (const bool is_dynamic : {false, true})
    for (const bool in_pieces : {false, true}) {
      executed e(is_dynamic);
      e.runs->start(e.options, in_pieces);
      e.runs->feed(0, pair(1, 2));
      REQUIRE_FALSE(e.runs->drive());
      CHECK(e.fetched(0, 1) == 16);
      CHECK(e.fetched(1, 0) == 2);
      e.runs->end(false);
    }
}

TEST_CASE("executor: what was not fed is missing, and a run that is left half done leaves no trace") {
  executed e;
  e.runs->start(e.options, true);
  REQUIRE_FALSE(e.runs->drive());
  CHECK(e.runs->missing(0));
  CHECK_FALSE(e.runs->take(0));
  e.runs->end(false);
  e.runs->start(e.options, true);
  e.runs->feed(0, pair(5, 2));
  REQUIRE_FALSE(e.runs->drive());
  CHECK_FALSE(e.runs->missing(0));
  CHECK(e.fetched(1, 0) == 10);
  e.runs->end(false);
}
