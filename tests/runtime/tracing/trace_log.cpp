#include <flowgraph/runtime/tracing/trace_log.hpp>

#include <flowgraph/observe/trace.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include "../../harness/engine_ops.hpp"

#include <map>
#include <set>

using namespace engine;
using fg::detail::trace_lane;
using fg::detail::trace_log;
using fg::detail::trace_record;

namespace {

trace_record numbered_record(std::uint32_t run, std::uint64_t byte_count) {
  trace_record r;
  r.kind = fg::trace_kind::kernel;
  r.run = run;
  r.bytes = byte_count;
  return r;
}

}  // namespace

TEST_CASE("trace_log: each thread has a lane of its own, and nothing is lost or mixed up") {
  constexpr std::uint64_t records = 3000;  // several chunks
  constexpr std::uint32_t writers = 4;
  const auto log = std::make_shared<trace_log>(1'000'000), other = std::make_shared<trace_log>(1000);
  std::vector<std::thread> threads;
  std::atomic<std::uint32_t> writing{writers};
  for (std::uint32_t k = 1; k <= writers; ++k)
    threads.emplace_back([&, k] {
      for (std::uint64_t i = 0; i < records; ++i) {
        log->lane().add(numbered_record(k, i));
        if (i % 1000 == 0) other->lane().add(numbered_record(k, i));
      }
      --writing;
    });
  std::size_t before = 0;
  while (writing > 0) {  // whoever looks meanwhile sees what was there
    std::size_t seen = 0;
    log->each([&](const trace_lane&, const trace_record& r) { seen += r.run >= 1 && r.run <= writers; });
    CHECK(seen >= before);
    before = seen;
  }
  for (std::thread& t : threads) t.join();
  std::map<std::uint32_t, std::uint64_t> next;
  std::set<const trace_lane*> lanes;
  bool is_in_order = true;
  log->each([&](const trace_lane& l, const trace_record& r) {
    is_in_order = is_in_order && r.bytes == next[r.run]++;
    lanes.insert(&l);
  });
  CHECK(is_in_order);
  CHECK(lanes.size() == writers);
  REQUIRE(next.size() == writers);
  for (const auto& [run, count] : next) CHECK(count == records);
}

TEST_CASE("trace_log: what there is no room for is counted") {
  const auto log = std::make_shared<trace_log>(300);  // two chunks
  for (std::uint64_t i = 0; i < 1000; ++i) log->lane().add(numbered_record(1, i));
  std::uint64_t kept = 0;
  log->each([&](const trace_lane&, const trace_record& r) { kept += r.bytes == kept; });
  CHECK(kept == 2 * trace_lane::records_of_chunk);
  CHECK(log->lane().dropped() == 1000 - kept);
}

TEST_CASE("trace_log: what another process tells takes room as records do, and is counted where there is none") {
  const auto log = std::make_shared<trace_log>(2 * trace_lane::records_of_chunk);
  const auto told = std::make_shared<fg::collected_trace>();
  for (const std::size_t records : {10u, 300u, 20u, 5u}) log->take({1, records, told});
  const auto parts = log->elsewhere();
  REQUIRE(parts.size() == 4);
  CHECK(parts[0].trace == told);
  CHECK(parts[1].trace == nullptr);  // of two chunks, where one is left
  CHECK(parts[1].records == 300);
  CHECK(parts[2].trace == told);
  CHECK(parts[3].trace == nullptr);
}

TEST_CASE("trace_log: tables are made once for a plan, and stay when it is gone") {
  const auto log = std::make_shared<trace_log>(1000);
  const fg::detail::trace_table* table = nullptr;
  {
    fg::graph g;
    auto x = g.placeholder<float>("x", {});
    auto y = add(x, x, {.name = "y"});
    auto z = add(y, x, {.name = "z"});
    const fg::any_out feeds[] = {x}, fetches[] = {z};
    const auto p = fg::detail::make_plan(g, {.feeds = feeds, .fetches = fetches, .targets = {}}).value();
    table = &log->table_of(*p, log->lane());
    CHECK(&log->table_of(*p, log->lane()) == table);
    const auto other = fg::detail::make_plan(g, {.feeds = feeds, .fetches = fetches, .targets = {}}).value();
    CHECK(other->number != p->number);
    CHECK(&log->table_of(*other, log->lane()) != table);
    CHECK(table->of_node.at(p->records[1].site) == 1);
  }
  REQUIRE(table->records.size() == 3);
  CHECK(table->records[0].op == "feed");
  CHECK(table->records[1].name == "y");
  CHECK(table->records[1].op == "TestAdd");
  CHECK(table->records[1].readers == std::vector<std::uint32_t>{2});
  CHECK(table->records[0].readers.size() >= 2);
  CHECK(table->frames.size() == 1);
}

TEST_CASE("trace_log: memory tells of itself until the log is closed, and stays usable after that") {
  auto log = std::make_shared<trace_log>(1000);
  auto held = log->memory_over(std::pmr::new_delete_resource());
  std::pmr::memory_resource* const memory = held.get();
  CHECK(log->memory_over(std::pmr::new_delete_resource()).get() == memory);
  void* const first = memory->allocate(100, 64);
  memory->deallocate(memory->allocate(7), 7);
  void* const second = memory->allocate(50);
  std::vector<std::pair<fg::trace_kind, std::uint64_t>> told;
  log->each([&](const trace_lane&, const trace_record& r) { told.emplace_back(r.kind, r.bytes); });
  using fg::trace_kind;
  CHECK(told ==
        std::vector<std::pair<trace_kind, std::uint64_t>>{
            {trace_kind::allocation, 100}, {trace_kind::allocation, 7}, {trace_kind::release, 7}, {trace_kind::allocation, 50}});
  memory->deallocate(second, 50);
  log->close();
  const std::weak_ptr<trace_log> gone = log;
  log.reset();
  CHECK_FALSE(gone.expired());  // held by the memory
  memory->deallocate(first, 100, 64);
  memory->deallocate(memory->allocate(9), 9);
  CHECK_FALSE(gone.expired());
  held.reset();
  CHECK(gone.expired());
}

TEST_CASE("trace_log: texts and numbers of runs") {
  trace_log log(10);
  const std::string* const kept = log.keep("queue");
  CHECK(log.keep("queue") == kept);
  CHECK(*log.keep("other") == "other");
  CHECK(log.number_run() == 1);
  CHECK(log.number_run() == 2);
}
