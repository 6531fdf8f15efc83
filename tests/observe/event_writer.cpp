#include <flowgraph/observe/event_writer.hpp>

#include "../formats/folder.hpp"
#include "../harness/engine_ops.hpp"

#include <flowgraph/formats/event_reader.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/observe/described_graph.hpp>

#include <filesystem>
#include <map>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;

namespace {

std::vector<fg::event> events_in(const std::string& path) {
  std::vector<fg::event> made;
  auto from = fg::event_reader::open(path).value();
  for (fg::event e; from.next(e).value();) made.push_back(e);
  return made;
}
std::vector<std::string> tags_of(const fg::event& e) {
  std::vector<std::string> tags;
  fg::read_summary(e.summary(), [&](const fg::summary_value& v) { tags.emplace_back(v.tag); }).value();
  return tags;
}

}  // namespace

TEST_CASE("what is written is read, in the order of the calls") {
  using enum fg::event::form;
  const test_folder folder;
  fg::graph g;
  g.constant(1.0f);
  fg::summary_writer both;
  both.add("a", 1);
  both.add("b", 2);
  const fg::node_call calls[]{{.node = "Const", .device = "/device:cpu:0", .start = 0, .end = 1000}};
  auto writer = fg::event_writer::create(folder / "logs/run", {.suffix = ".mine"}).value();
  CHECK(std::filesystem::path(writer.path()).filename().string().starts_with("events.out.tfevents."));
  CHECK(writer.path().ends_with(".mine"));
  writer.add_graph(g).value();
  writer.add("loss", 0.5f, 3).value();
  writer.add_histogram("w", fg::tensor<double>({2}, {1, 2}), 3).value();
  writer.add_image("one", fg::tensor<float>({2, 2, 1}), 3).value();
  writer.add_image("many", fg::tensor<std::uint8_t>({2, 2, 2, 3}), 3).value();
  writer.add_audio("one", fg::tensor<float>({4, 2}), 8000, 3).value();
  writer.add_text("text", "words", 3).value();
  writer.add_tensor("tensor", fg::tensor<float>({2}), 3).value();
  writer.add(both.bytes(), 4).value();
  writer.add(fg::tensor<std::string>({}, {both.bytes()}), 5).value();
  writer.add_run("step 5", calls, 5).value();
  writer.resume_at(5).value();
  writer.close().value();

  const auto events = events_in(writer.path());
  REQUIRE(events.size() == 14);
  CHECK(events[0].kind == version);
  CHECK(events[0].content == "brain.Event:2");
  CHECK(events[1].kind == graph);
  CHECK(events[1].content == fg::described_graph(g));
  CHECK(events[2].step == 3);
  CHECK(tags_of(events[2]) == std::vector<std::string>{"loss"});
  CHECK(tags_of(events[4]) == std::vector<std::string>{"one/image"});
  CHECK(tags_of(events[5]) == std::vector<std::string>{"many/image/0", "many/image/1"});
  CHECK(tags_of(events[6]) == std::vector<std::string>{"one/audio"});
  CHECK(tags_of(events[9]) == std::vector<std::string>{"a", "b"});
  CHECK(events[10].content == events[9].content);
  CHECK(events[10].step == 5);
  CHECK(events[11].kind == run_metadata);
  CHECK(events[11].tag == "step 5");
  CHECK(events[11].content == fg::run_metadata_of(calls));
  for (const std::size_t i : {std::size_t{12}, std::size_t{13}}) {
    CHECK(events[i].kind == session_log);
    CHECK(events[i].step == 5);
    CHECK(events[i].content == "\x08\x01");
  }
  for (std::size_t i = 1; i < events.size(); ++i) CHECK(events[i].time >= events[i - 1].time);
}

TEST_CASE("what cannot be written leaves no event") {
  const test_folder folder;
  auto writer = fg::event_writer::create(folder.path()).value();
  CHECK(writer.add("nonsense", 1).error().code() == error_code::invalid_argument);
  CHECK_FALSE(writer.add_histogram("h", fg::tensor<std::string>({1}, {"x"}), 1));
  CHECK_FALSE(writer.add_image("i", fg::tensor<float>({2}), 1));
  CHECK_FALSE(writer.add_audio("a", fg::tensor<float>({2}), 8000, 1));
  CHECK_FALSE(writer.add_tensor("t", fg::any_tensor(), 1));
  constexpr const char* no_text = "\xff\xfe";  // a reader would refuse it, and the rest of the file
  const auto numbers = fg::tensor<float>({2, 2, 1}, {0, 1, 1, 0}).erased();
  for (const auto& refused :
       {writer.add(no_text, 1.f, 1), writer.add_histogram(no_text, numbers, 1), writer.add_image(no_text, numbers, 1),
        writer.add_audio(no_text, fg::tensor<float>({2, 1}, {0, 1}), 8000, 1), writer.add_text(no_text, "text", 1),
        writer.add_tensor(no_text, numbers, 1), writer.add_run(no_text, {}, 1)})
    CHECK(refused.error().code() == error_code::invalid_argument);
  writer.close().value();
  CHECK(writer.add("late", 1, 1).error().code() == error_code::failed_precondition);
  CHECK(events_in(writer.path()).size() == 1);
}

TEST_CASE("a folder that cannot be made is named") {
  const test_folder folder;
  fg::file_writer::open(folder / "file").value().close().value();
  const auto made = fg::event_writer::create(folder / "file/below");
  REQUIRE_FALSE(made);
  CHECK(made.error().message().find(folder / "file/below") != std::string_view::npos);
}

TEST_CASE("events reach the system at once where that is asked for, and files of one second have names of their own") {
  const test_folder folder;
  auto first = fg::event_writer::create(folder.path(), {.flush_after = std::chrono::milliseconds(0)}).value();
  auto second = fg::event_writer::create(folder.path(), {.flush_after = std::chrono::hours(1)}).value();
  CHECK(first.path() != second.path());
  first.add("x", 1, 1).value();
  second.add("x", 1, 1).value();
  CHECK(events_in(first.path()).size() == 2);
  CHECK(events_in(second.path()).size() == 1);
  second.flush().value();
  CHECK(events_in(second.path()).size() == 2);
}

TEST_CASE("several threads write whole events") {
  const test_folder folder;
  auto writer = fg::event_writer::create(folder.path()).value();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&writer, t] {
        for (int i = 0; i < 500; ++i) writer.add("of_thread_" + std::to_string(t), static_cast<float>(i), i).value();
      });
  }
  writer.close().value();
  std::map<std::string, int> counts;
  for (const fg::event& e : events_in(writer.path()))
    for (const std::string& tag : tags_of(e)) CHECK(counts[tag]++ == e.step);
  CHECK(counts.size() == 4);
  for (const auto& [tag, count] : counts) CHECK(count == 500);
}
