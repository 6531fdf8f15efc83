#include <flowgraph/runtime/tracing/run_recording.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;
using fg::detail::run_recording;
using fg::detail::trace_lane;
using fg::detail::trace_log;
using fg::detail::trace_record;

namespace {

std::vector<trace_record> all_of(const trace_log& log) {
  std::vector<trace_record> made;
  log.each([&](const trace_lane&, const trace_record& r) { made.push_back(r); });
  return made;
}

}  // namespace

TEST_CASE("run_recording: a run is one step, from its making to its end") {
  const auto log = std::make_shared<trace_log>(1000);
  {
    run_recording one(log);
    CHECK(one.number() == 1);
    CHECK(log->lane().steps == 1);
    run_recording other(log);
    CHECK(other.number() == 2);
    CHECK(all_of(*log).empty());
  }
  const auto told = all_of(*log);
  REQUIRE(told.size() == 2);
  CHECK(told[0].kind == fg::trace_kind::step);
  CHECK(told[0].run + told[1].run == 3);
  CHECK(told[0].start <= told[0].end);
  CHECK(log->lane().steps == 0);
}

TEST_CASE("run_recording: services have a trace and memory that tells of itself, from here to there") {
  const auto log = std::make_shared<trace_log>(1000);
  run_recording run(log);
  fg::run_services services;
  services.memory = std::pmr::new_delete_resource();
  {
    fg::detail::recorded_services attached;
    attached.attach(services, run, *log);
    CHECK(services.trace == &run);
    CHECK(services.memory != std::pmr::new_delete_resource());
    services.memory->deallocate(services.memory->allocate(8), 8);
  }
  CHECK(services.trace == nullptr);
  CHECK(services.memory == std::pmr::new_delete_resource());
  CHECK(all_of(*log).size() == 2);
  log->close();
}

TEST_CASE("run_recording: an executor's records become ready when they are first seen to wait") {
  const auto log = std::make_shared<trace_log>(1000);
  run_recording run(log);
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  const fg::any_out feeds[] = {x}, fetches[] = {chain(x, 200)};
  const auto p = fg::detail::make_plan(g, {.feeds = feeds, .fetches = fetches, .targets = {}}).value();
  fg::run_services services;
  services.memory = std::pmr::new_delete_resource();
  fg::detail::executor_recording of(run, *p, services);
  fg::detail::ready_queue ready(p->records.size());
  fg::detail::iteration root, inside;
  fg::detail::frame_instance loop;
  inside.frame = &loop;

  ready.push(70, root);
  ready.push(3, root);
  of.note_ready(ready);
  ready.push(150, root);
  ready.push(5, inside);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  of.note_ready(ready);
  of.note_ready(ready);
  const auto take = [&] {
    const auto r = ready.pop(&root);
    return std::pair{r.record, of.taken(r.record, r.at->frame != nullptr)};
  };
  const auto inner = take(), third = take(), seventieth = take(), last = take();
  CHECK(inner.first == 5);
  CHECK(third.first == 3);
  CHECK(seventieth.first == 70);
  CHECK(last.first == 150);
  CHECK(third.second == seventieth.second);
  CHECK(inner.second == last.second);
  CHECK(inner.second >= third.second + 1'000'000);
  ready.push(70, root);
  of.note_ready(ready);
  CHECK(take().second >= inner.second);  // a record that waits again

  ready.push(70, root);
  ready.push(71, root);
  of.note_ready(ready);
  ready.clear();  // as in a run that fails
  of.note_ready(ready);
  ready.push(9, root);
  of.note_ready(ready);
  CHECK(take().first == 9);
  log->close();
}

TEST_CASE("run_recording: blocks are told of where there are threads for them") {
  const auto log = std::make_shared<trace_log>(1000);
  run_recording run(log);
  fg::run_services services;
  fg::detail::kernel_call call;
  call.run = &services;
  std::atomic<int> ran{0};
  const auto block = [&](std::int64_t) { ++ran; };
  run.run_blocks(call, 5, block);
  CHECK(all_of(*log).empty());
  fg::thread_pool pool(2);
  services.pool = &pool;
  run.run_blocks(call, 5, block);
  CHECK(all_of(*log).size() == 5);
  CHECK(all_of(*log)[0].kind == fg::trace_kind::block);
  CHECK(ran == 10);
}
