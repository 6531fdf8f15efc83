// Traced runs of a remote session: the client's recorder receives the records of the tasks.

#include "../simulated_cluster.hpp"

#include <flowgraph/observe/trace.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

using namespace flowgraph_test;

namespace {

// x goes from task to task, and each task squares it.
struct chain {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {100});
  fg::out<float> y = x;
  explicit chain(std::uint32_t tasks) {
    for (std::uint32_t t = 0; t < tasks; ++t) {
      const auto on = g.on_device(on_worker(t));
      y = fg::square(y, {.name = fg::message{"square", t}.string()});
    }
  }
};

fg::tensor<float> twos() { return fg::tensor<float>({100}, std::vector<float>(100, 2.f)); }

std::vector<fg::trace_event> events_of(const fg::collected_trace& t, fg::trace_kind kind, std::string_view node = {}) {
  std::vector<fg::trace_event> made;
  for (const fg::trace_event& e : t.events)
    if (e.kind == kind && (node.empty() || (e.node != fg::trace_event::none && t.nodes[e.node].name == node))) made.push_back(e);
  return made;
}

const fg::traced_process& process_of(const fg::collected_trace& t, const fg::trace_event& e) {
  return t.processes[t.threads[e.thread].process];
}

}  // namespace

TEST_CASE("part_trace: one recorder has the records of all tasks, each with its task, on the timeline of the client") {
  simulated_cluster cluster(3, 1, cluster_ops(), {.record = fg::record_parts});
  chain c(3);
  fg::session s{c.g, cluster.connect(1)};
  fg::trace_recorder seen({.process = "trainer"});
  CHECK(s.run(fg::fetch(c.y), {{c.x, twos()}})[99] == 256);
  CHECK(seen.collect().events.empty());
  for (int i = 0; i < 2; ++i) CHECK(s.run(fg::fetch(c.y), {{c.x, twos()}}, {.trace = &seen})[99] == 256);
  const auto t = seen.collect();
  CHECK(t.dropped == 0);
  REQUIRE(t.processes.size() == 4);
  CHECK(t.processes[0].name == "trainer");
  std::map<std::string, const fg::traced_process*> tasks;
  for (std::size_t p = 1; p < 4; ++p) {
    tasks[t.processes[p].name] = &t.processes[p];
    CHECK(t.processes[p].asked_by == 0);
    CHECK(t.processes[p].number == t.processes[0].number);
    // Tasks in one process have the same clock.
    CHECK(std::abs(t.processes[p].clock_offset) <= t.processes[p].clock_error);
    CHECK(t.processes[p].clock_error < 10'000'000'000);
  }
  std::vector<fg::trace_event> steps;
  for (const fg::trace_event& e : events_of(t, fg::trace_kind::step))
    if (t.threads[e.thread].process == 0) steps.push_back(e);
  REQUIRE(steps.size() == 2);
  CHECK(events_of(t, fg::trace_kind::step).size() == 8);
  for (std::uint32_t task = 0; task < 3; ++task) {
    const auto calls = events_of(t, fg::trace_kind::kernel, fg::message{"square", task}.string());
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].node == calls[1].node);  // a part has the same plan in every run
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(process_of(t, calls[i]).name == on_worker(task));
      CHECK(t.nodes[calls[i].node].device.starts_with(on_worker(task) + "/device:"));
      CHECK(calls[i].step == i + 1);
      CHECK(calls[i].bytes == 400);
      CHECK(calls[i].ready > 0);
      const std::int64_t error = process_of(t, calls[i]).clock_error;
      CHECK(t.wall_time(calls[i], calls[i].start) + error >= t.wall_time(steps[i], steps[i].start));
      CHECK(t.wall_time(calls[i], calls[i].end) - error <= t.wall_time(steps[i], steps[i].end));
    }
  }
}

TEST_CASE("part_trace: what is sent names the task at the other end, its bytes, and where it was waited for") {
  simulated_cluster cluster(2, 1, cluster_ops(), {.record = fg::record_parts});
  chain c(2);
  fg::session s{c.g, cluster.connect()};
  fg::trace_recorder seen;
  s.run(fg::fetch(c.y), {{c.x, twos()}}, {.trace = &seen});
  const auto t = seen.collect();
  const auto sent = events_of(t, fg::trace_kind::send);
  auto received = events_of(t, fg::trace_kind::receive);
  REQUIRE(sent.size() == 2);  // the value, and the fetch that returns to the master
  REQUIRE(received.size() == 2);
  // Both waits begin at the start of the run, so either may be first.
  if (received[0].edge != sent[0].edge) std::swap(received[0], received[1]);
  for (std::uint32_t i = 0; i < 2; ++i) {
    CHECK(process_of(t, sent[i]).name == on_worker(i));
    CHECK(t.texts.at(sent[i].text) == on_worker(1 - i));
    CHECK(process_of(t, received[i]).name == on_worker(1 - i));
    CHECK(t.texts.at(received[i].text) == on_worker(i));
    CHECK(sent[i].bytes == 400);
    CHECK(received[i].bytes == 400);
    CHECK(sent[i].edge == received[i].edge);
    CHECK(received[i].ready > 0);
  }
  // The master has waited during the whole computation.
  const auto other = events_of(t, fg::trace_kind::kernel, "square1").at(0);
  CHECK(received[1].delay() >= other.duration());
  // The file contains an arrow from one process to another.
  const std::string file = fg::to_chrome_trace(t);
  const auto ids_behind = [&](std::string_view phase) {
    std::set<std::string> ids;
    for (auto at = file.find(phase); at != std::string::npos; at = file.find(phase, at + 1)) {
      const auto id = file.find("\"id\":", at);
      ids.insert(file.substr(id, file.find(',', id) - id));
    }
    return ids;
  };
  CHECK(ids_behind("\"ph\":\"s\"").size() == 2);
  CHECK(ids_behind("\"ph\":\"s\"") == ids_behind("\"ph\":\"f\""));
  CHECK(file.find("\"peer\":\"/job:worker/task:1\"") != std::string::npos);
  for (std::uint32_t task = 0; task < 2; ++task) CHECK(file.find("\"name\":\"" + on_worker(task) + ' ') != std::string::npos);
}

TEST_CASE("part_trace: tables and the critical path go over all tasks") {
  simulated_cluster cluster(3, 1, cluster_ops(), {.record = fg::record_parts});
  chain c(3);
  fg::session s{c.g, cluster.connect()};
  fg::trace_recorder seen;
  auto step = s.prepare(fg::feed(c.x), fg::fetch(c.y));
  for (int i = 0; i < 3; ++i) CHECK((*step.try_run({.trace = &seen}, twos()))[0] == 256);
  const auto t = seen.collect();
  std::map<std::string, std::uint64_t> calls;
  for (const fg::trace_sum& sum : fg::time_by_node(t)) calls[sum.name] = sum.calls;
  for (const char* name : {"square0", "square1", "square2"}) CHECK(calls[name] == 3);
  std::vector<std::string> path;
  for (const fg::path_node& n : fg::critical_path(t, 2))
    if (n.name.starts_with("square")) path.push_back(n.name);
  CHECK(path == std::vector<std::string>{"square0", "square1", "square2"});
  const std::string text = fg::tables(t);
  CHECK(text.starts_with("3 steps"));
  CHECK(text.find("critical path of step 3") != std::string::npos);
}

TEST_CASE("part_trace: the memory of a part is its own until it ends, and does not add up from step to step") {
  simulated_cluster cluster(2, 1, cluster_ops(), {.record = fg::record_parts});
  fg::graph g;
  const auto x = g.placeholder<float>("x", {100});
  fg::out<float> y = x;
  for (std::uint32_t task = 0; task < 2; ++task) {
    const auto on = g.on_device(on_worker(task));
    y = fg::square(y) - y;  // not in the memory of y
  }
  fg::session s{g, cluster.connect()};
  fg::trace_recorder seen;
  for (int i = 0; i < 8; ++i) s.run(fg::fetch(y), {{x, twos()}}, {.trace = &seen});
  const auto t = seen.collect();
  CHECK(events_of(t, fg::trace_kind::allocation).size() >= 16);
  CHECK(events_of(t, fg::trace_kind::allocation).size() == events_of(t, fg::trace_kind::release).size());
  CHECK(fg::peak_memory(t).peak >= 400);
  CHECK(fg::peak_memory(t).peak < 1600);
}

TEST_CASE("part_trace: a loop whose turns go from task to task has an arrow for each value of each turn") {
  simulated_cluster cluster(2, 1, cluster_ops(), {.record = fg::record_parts});
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto limit = g.constant(4);
  auto [i, last] = fg::while_loop(
      std::tuple{g.constant(0), x}, [&](auto n, auto) { return n < limit; },
      [&](auto n, auto v) {
        const auto on = g.on_device(on_worker(1));
        return std::tuple{n + 1, fg::square(v, {.name = "turn"})};
      });
  const auto here = g.on_device(on_worker(0));
  const auto y = last + x;
  fg::session s{g, cluster.connect()};
  fg::trace_recorder seen;
  CHECK(s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, 1})}}, {.trace = &seen})[0] == 2);
  const auto t = seen.collect();
  CHECK(events_of(t, fg::trace_kind::kernel, "while/turn").size() == 4);
  const auto names = [&](fg::trace_kind kind) {
    std::multiset<std::pair<std::uint32_t, std::uint64_t>> made;
    for (const fg::trace_event& e : events_of(t, kind)) made.emplace(e.edge, e.key);
    return made;
  };
  CHECK_FALSE(names(fg::trace_kind::send).empty());
  CHECK(names(fg::trace_kind::send) == names(fg::trace_kind::receive));
}

TEST_CASE("part_trace: tasks that do not record are not in the trace, and the run goes on as ever") {
  simulated_cluster cluster(2);
  chain c(2);
  fg::session s{c.g, cluster.connect()};
  fg::trace_recorder seen;
  CHECK(s.run(fg::fetch(c.y), {{c.x, twos()}}, {.trace = &seen})[0] == 16);
  const auto t = seen.collect();
  CHECK(t.processes.size() == 1);
  CHECK(events_of(t, fg::trace_kind::step).size() == 1);
}

TEST_CASE("part_trace: a run that fails has told what ran until then") {
  simulated_cluster cluster(2, 1, cluster_ops(), {.record = fg::record_parts});
  chain c(1);
  const auto on = c.g.on_device(on_worker(1));
  const auto extents = c.g.placeholder<std::int32_t>("extents", {1});
  const auto wrong = fg::reshape(c.y, extents);
  fg::session s{c.g, cluster.connect()};
  fg::trace_recorder seen;
  CHECK_FALSE(
      s.try_run(fg::fetch(wrong), {{c.x, twos()}, {extents, fg::tensor<std::int32_t>({1}, {7})}}, {.trace = &seen}).has_value());
  CHECK(events_of(seen.collect(), fg::trace_kind::kernel, "square0").size() == 1);
}

TEST_CASE("part_trace: where a recorder has no room for what tasks tell, that is counted") {
  simulated_cluster cluster(2, 1, cluster_ops(), {.record = fg::record_parts});
  chain c(2);
  fg::session s{c.g, cluster.connect()};
  fg::trace_recorder seen({.most_records = 256});  // per task
  s.run(fg::fetch(c.y), {{c.x, twos()}}, {.trace = &seen});
  const auto t = seen.collect();
  CHECK(t.dropped > 0);
  CHECK(t.processes.size() == 2);
  seen.clear();
  CHECK(seen.collect().dropped == 0);
}

TEST_CASE("part_trace: a task keeps so many records of a part, and counts the others") {
  simulated_cluster cluster(1, 1, cluster_ops(), {.record = fg::record_parts});
  fg::graph g;
  const auto limit = g.constant(34'000);
  const auto last = fg::while_loop(
      std::tuple{g.constant(0)}, [&](auto n) { return n < limit; }, [&](auto n) { return std::tuple{n + 1}; });
  fg::session s{g, cluster.connect()};
  fg::trace_recorder seen;
  CHECK(s.run(fg::fetch(std::get<0>(last)), {}, {.trace = &seen}).scalar() == 34'000);
  const auto t = seen.collect();
  CHECK(t.events.size() + t.dropped > 68'000);
  CHECK(t.events.size() < 66'000);
  CHECK(t.dropped > 0);
}

TEST_CASE("part_trace: a task hears of what it has recorded, of traced steps alone, and writes files of it where that is asked") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fg::message{"flowgraph_traces_", ::getpid()}.string();
  CHECK(fg::trace_files(folder.string()).error().code() == fg::error_code::not_found);
  std::filesystem::create_directory(folder);
  {
    std::mutex mutex;
    std::vector<std::string> told;
    auto files = fg::trace_files(folder.string(), 3).value();
    simulated_cluster cluster(
        2, 1, cluster_ops(),
        {.record = fg::record_parts, .on_trace = [&](const fg::collected_trace& t) {
           files(t);
           const std::lock_guard lock(mutex);
           told.push_back(t.processes.at(0).name);
           CHECK(events_of(t, fg::trace_kind::kernel, "square" + t.processes[0].name.substr(17)).size() == 1);
         }});
    chain c(2);
    fg::session s{c.g, cluster.connect()};
    fg::trace_recorder seen;
    s.run(fg::fetch(c.y), {{c.x, twos()}});
    CHECK(told.empty());
    for (int i = 0; i < 2; ++i) s.run(fg::fetch(c.y), {{c.x, twos()}}, {.trace = &seen});
    CHECK(std::multiset<std::string>(told.begin(), told.end()) ==
          std::multiset<std::string>{on_worker(0), on_worker(0), on_worker(1), on_worker(1)});
  }
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder)) names.insert(file.path().filename().string());
  CHECK(names.size() == 6);  // three with their tables: as many as were allowed
  CHECK(names.contains("job_worker_task_0.1.tables.txt") != names.contains("job_worker_task_1.1.tables.txt"));
  CHECK(std::ranges::all_of(names, [](const std::string& n) { return n.starts_with("job_worker_task_"); }));
  std::filesystem::remove_all(folder);
}
