#include <flowgraph/ops/input/reader.hpp>

#include "../../formats/folder.hpp"
#include "../../harness/engine_ops.hpp"

#include <flowgraph/formats/file.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/input/record_reader.hpp>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;

namespace {

void put(const std::string& path, std::string_view text) {
  auto to = fg::file_writer::open(path).value();
  to.write(text).value();
  to.close().value();
}
std::vector<std::string> list(const fg::tensor<std::string>& t) { return {t.begin(), t.end()}; }

// A queue of names, a reader of lines, and what is done with them.
struct lines {
  fg::graph g;
  fg::fifo_queue<std::string> names{g, {.shapes = {{}}}};
  fg::reader from = fg::text_line_reader(g);
  fg::out<std::string> name = g.placeholder<std::string>("name", {});
  fg::target add = names.enqueue(name), close = names.close();
  fg::keyed_records one = from.read(names), some = from.read_up_to(names, 3);
  fg::out<std::int64_t> records = from.records(), units = from.work_units();
  fg::session s{g};

  void open(const std::string& path) { s.run(add, {{name, path}}); }
  std::vector<std::string> next() { return list(s.run(fg::fetch(some.values))); }
};

}  // namespace

TEST_CASE("records are read one by one or several at once, never across files") {
  const test_folder folder;
  put(folder / "a", "1\n2\n3\n4\n");
  put(folder / "empty", "");
  put(folder / "b", "5\n");
  lines l;
  for (const char* name : {"a", "empty", "b"}) l.open(folder / name);
  CHECK(l.s.run(fg::fetch(l.one.values)).scalar() == "1");
  CHECK(l.next() == std::vector<std::string>{"2", "3", "4"});
  CHECK(l.s.run(fg::fetch(l.units)).scalar() == 0);
  CHECK(l.next() == std::vector<std::string>{"5"});
  CHECK(l.s.run(fg::fetch(l.units)).scalar() == 3);
  CHECK(l.s.run(fg::fetch(l.records)).scalar() == 5);
  l.s.run(l.close);
  CHECK(l.s.try_run(fg::fetch(l.one.values)).error().code() == error_code::out_of_range);
}

TEST_CASE("who waits for work gets it when it comes") {
  const test_folder folder;
  put(folder / "a", "1\n2\n");
  lines l;
  std::vector<std::string> found(2);
  {
    std::jthread first([&] { found[0] = l.s.run(fg::fetch(l.one.values)).scalar(); });
    std::jthread second([&] { found[1] = l.s.run(fg::fetch(l.one.values)).scalar(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(l.s.run(fg::fetch(l.records)).scalar() == 0);  // who asks other things does not wait
    l.open(folder / "a");
  }
  CHECK(std::set(found.begin(), found.end()) == std::set<std::string>{"1", "2"});
}

TEST_CASE("waiting ends with the run's deadline, and those behind go on") {
  const test_folder folder;
  put(folder / "a", "1\n2\n");
  lines l;
  const auto soon = [] { return fg::run_options{.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30)}; };
  CHECK_FALSE(l.s.try_run(fg::fetch(l.one.values), {}, soon()));
  std::atomic<int> ended = 0;
  {
    std::vector<std::jthread> late;
    for (int i = 0; i < 3; ++i) late.emplace_back([&] { ended += l.s.try_run(fg::fetch(l.one.values), {}, soon()) ? 0 : 1; });
  }
  CHECK(ended == 3);
  l.open(folder / "a");  // nothing has been taken by those who left
  CHECK(l.s.run(fg::fetch(l.one.values)).scalar() == "1");
}

TEST_CASE("a reader that is restored goes on where it stood, in another session too") {
  const test_folder folder;
  put(folder / "a", "1\n2\n3\n4\n5\n");
  std::string state;
  {
    lines l;
    l.open(folder / "a");
    l.next();
    state = l.s.run(fg::fetch(l.from.state())).scalar();
    CHECK(l.next() == std::vector<std::string>{"4", "5"});
  }
  lines l;
  const auto restore = l.from.restore(l.g.constant(state));
  l.s.run(restore);
  CHECK(l.s.run(fg::fetch(l.records)).scalar() == 3);
  CHECK(l.next() == std::vector<std::string>{"4", "5"});
  l.s.run(restore);
  CHECK(l.next() == std::vector<std::string>{"4", "5"});
  put(folder / "a", "1\n");
  CHECK(l.s.try_run(restore).error().code() == error_code::failed_precondition);
  CHECK(l.s.try_run(l.from.restore(l.g.constant(std::string("nonsense")))).error().code() == error_code::invalid_argument);
}

TEST_CASE("a reader that cannot be restored goes on with its own work") {
  const test_folder folder;
  put(folder / "a", "1\n2\n3\n4\n5\n");
  put(folder / "b", "6\n7\n8\n9\n");
  lines l;
  l.open(folder / "a");
  CHECK(l.next() == std::vector<std::string>{"1", "2", "3"});
  const std::string state = l.s.run(fg::fetch(l.from.state())).scalar();
  l.next();
  l.open(folder / "b");
  CHECK(l.s.run(fg::fetch(l.one.values)).scalar() == "6");
  for (const bool is_gone : {false, true}) {
    if (is_gone) std::filesystem::remove(folder / "a");
    else put(folder / "a", "1\n");
    CHECK_FALSE(l.s.try_run(l.from.restore(l.g.constant(state))));
    CHECK(l.s.run(fg::fetch(l.records)).scalar() == (is_gone ? 7 : 6));
    CHECK(l.s.run(fg::fetch(l.units)).scalar() == 1);
    CHECK(l.s.run(fg::fetch(l.one.values)).scalar() == (is_gone ? "8" : "7"));
  }
}

TEST_CASE("a reader that is reset takes new work") {
  const test_folder folder;
  put(folder / "a", "1\n2\n");
  put(folder / "b", "3\n");
  lines l;
  l.open(folder / "a");
  l.open(folder / "b");
  l.s.run(fg::fetch(l.one.values));
  l.s.run(l.from.reset());
  CHECK(l.s.run(fg::fetch(l.records)).scalar() == 0);
  CHECK(l.s.run(fg::fetch(l.one.values)).scalar() == "3");
}

TEST_CASE("a file that cannot be read is an error, and the next one is read") {
  const test_folder folder;
  put(folder / "a", "1\n");
  lines l;
  l.open(folder / "none");
  l.open(folder / "a");
  const auto missing = l.s.try_run(fg::fetch(l.one.values));
  CHECK(missing.error().code() == error_code::not_found);
  CHECK(l.s.run(fg::fetch(l.one.values)).scalar() == "1");
}

TEST_CASE("a queue of something else than strings is refused") {
  fg::graph g;
  fg::fifo_queue<float> numbers(g, {.shapes = {{}}});
  const fg::reader from = fg::identity_reader(g);
  const auto [key, value] = fg::apply(fg::reader_read_v2_op{}, from.handle(), numbers.handle());
  const auto [again, same] = fg::apply(fg::reader_read_v2_op{}, from.handle(), from.handle());
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(value)).error().code() == error_code::invalid_argument);
  CHECK(s.try_run(fg::fetch(same)).error().code() == error_code::invalid_argument);
}

TEST_CASE("many threads read each record once") {
  const test_folder folder;
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::to_string(i) + "\n";
  lines l;
  for (int f = 0; f < 4; ++f) {
    put(folder / std::to_string(f), text);
    l.open(folder / std::to_string(f));
  }
  l.s.run(l.close);
  std::mutex mutex;
  std::multiset<std::string> found;
  {
    std::vector<std::jthread> readers;
    for (int t = 0; t < 4; ++t)
      readers.emplace_back([&] {
        for (;;) {
          const auto made = l.s.try_run(fg::fetch(l.some.keys));
          if (!made) return;
          const std::lock_guard lock(mutex);
          found.insert(made->begin(), made->end());
        }
      });
  }
  CHECK(found.size() == 2000);
  CHECK(std::set(found.begin(), found.end()).size() == 2000);
}

TEST_CASE("a name that comes while the position of a reader is restored is read afterwards") {
  const test_folder folder;
  put(folder / "a", "a1\na2\na3\na4\n");
  put(folder / "b", "b1\n");
  lines l;
  l.open(folder / "a");
  CHECK(l.next().size() == 3);
  const std::string position = l.s.run(fg::fetch(l.from.state())).scalar();
  l.s.run(l.from.reset());
  std::vector<std::string> first;
  std::thread waiting([&] { first = l.next(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  l.s.run(l.from.restore(l.g.constant(position)));
  l.open(folder / "b");
  l.s.run(l.close);
  waiting.join();
  CHECK(first == std::vector<std::string>{"a4"});
  CHECK(l.next() == std::vector<std::string>{"b1"});
}
