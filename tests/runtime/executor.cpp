#include <flowgraph/runtime/executor.hpp>

#include "../harness/engine_ops.hpp"

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

TEST_CASE("executor: kernels that answer while they start, just after or much later are called again and again") {
  std::mutex mutex;
  std::vector<std::pair<fg::done, fg::error>> asked;
  std::atomic<bool> is_over = false;
  std::thread answering([&] {
    while (!is_over) {
      std::unique_lock lock(mutex);
      auto now = std::exchange(asked, {});
      lock.unlock();
      for (auto& [answer, why] : now) answer(why);
      if (now.empty()) std::this_thread::yield();
    }
  });
  int calls = 0;
  const auto body = [&](fg::cpu, fg::done answer) {
    const int call = ++calls;
    const fg::error why = call % 7 == 0 ? fg::error(error_code::data_loss, "the seventh") : fg::error();
    if (call % 3 == 0) return answer(why);
    {
      const std::lock_guard lock(mutex);
      asked.emplace_back(std::move(answer), why);
    }
    for (int spin = 0; spin < call % 50; ++spin) std::this_thread::yield();  // some are answered before the start returns
  };
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto y = add(async_probe(async_probe(x, body), body), async_probe(x, body));
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const int before = calls;
    const auto made = step.try_run({}, fg::tensor<float>({2}, {1, 2}));
    bool fails = false;
    for (int call = before + 1; call <= calls; ++call) fails = fails || call % 7 == 0;
    if (static_cast<bool>(made) == fails || (made && (*made)[1] != 4)) ++wrong;
    if (!made && made.error().code() != error_code::data_loss) ++wrong;
  }
  is_over = true;
  answering.join();
  CHECK(wrong == 0);
}
