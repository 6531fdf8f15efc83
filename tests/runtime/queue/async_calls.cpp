#include <flowgraph/runtime/queue/async_calls.hpp>

#include <flowgraph/ops/control_flow/cond.hpp>

#include "../../harness/engine_ops.hpp"

#include <mutex>
#include <thread>

using namespace engine;

TEST_CASE("async_calls: an executor has them by each kernel that answers later, whatever else the plan has") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const fg::out<float> at_once = add(x, x), later = async_probe(x, [](fg::cpu, fg::done answer) { answer(); });
  const auto which = g.placeholder<bool>("which", {});
  const fg::out<float> chosen = fg::cond(
      which, [&] { return fg::identity(at_once); }, [&] { return fg::identity(x); });
  const auto runner_for = [&](std::vector<fg::any_out> fetches) {
    const fg::any_out feeds[]{x, which};
    return fg::detail::make_plan(g, {.feeds = feeds, .fetches = fetches, .targets = {}}).value()->runner;
  };
  CHECK((runner_for({at_once}) == nullptr));
  CHECK((runner_for({chosen}) == fg::detail::ready_queue_runner));
  CHECK((runner_for({later}) == fg::detail::answering_runner));
  CHECK((runner_for({later, chosen}) == fg::detail::answering_runner));
  CHECK((runner_for({chosen, later}) == fg::detail::answering_runner));
#ifndef FLOWGRAPH_ALL_INLINE
  CHECK((fg::detail::ready_queue_runner != fg::detail::answering_runner));
#endif
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(later, chosen), {{x, fg::tensor<float>({2}, {1, 2})}, {which, true}});
  CHECK(a[1] == 2);
  CHECK(b[1] == 4);
}

TEST_CASE("async_calls: kernels that answer while they start, just after or much later are called again and again") {
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
