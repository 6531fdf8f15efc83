#include <flowgraph/formats/event_reader.hpp>

#include "changed.hpp"
#include "folder.hpp"
#include "fuzz_targets.hpp"

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::error_code;

namespace {

std::string event_of(double time, std::int64_t step, std::uint32_t field, std::string_view content) {
  std::string made;
  fg::detail::put_fixed_field(made, 1, time);
  if (step != 0) fg::detail::put_varint_field(made, 2, static_cast<std::uint64_t>(step));
  fg::detail::put_bytes_field(made, field, content);
  return made;
}

std::vector<std::string> events() {
  fg::summary_writer numbers;
  numbers.add("loss", 1);
  numbers.add_text("t", fg::tensor<std::string>({}, {"words"}).erased());
  std::string run;
  fg::detail::put_bytes_field(run, 1, "step 5");
  fg::detail::put_bytes_field(run, 2, "");
  return {event_of(1.5, 0, 3, "brain.Event:2"), event_of(2, 5, 5, numbers.bytes()), event_of(3, 5, 8, run),
          event_of(4, -1, 4, "")};
}

std::string write_events(const std::string& path) {
  auto to = fg::record_writer::create(path).value();
  for (const std::string& e : events()) to.write(e).value();
  to.close().value();
  return fg::read_file(path).value();
}

struct outcome {
  std::vector<fg::event> found;
  fg::error why;
};
outcome read_events(const std::string& path) {
  outcome made;
  auto from = fg::event_reader::open(path).value();
  for (fg::event e;;) {
    const auto more = from.next(e);
    if (!more) made.why = more.error();
    if (!more || !*more) return made;
    made.found.push_back(e);
  }
}

}  // namespace

TEST_CASE("events are read with time, step and what they hold") {
  using enum fg::event::form;
  const test_folder folder;
  write_events(folder / "a");
  const auto [found, why] = read_events(folder / "a");
  CHECK_FALSE(why);
  REQUIRE(found.size() == 4);
  CHECK(found[0].kind == version);
  CHECK(found[0].content == "brain.Event:2");
  CHECK(found[0].time == 1.5);
  CHECK(found[1].kind == fg::event::form::summary);
  CHECK(found[1].step == 5);
  std::vector<std::string> tags;
  fg::read_summary(found[1].summary(), [&](const fg::summary_value& v) { tags.emplace_back(v.tag); }).value();
  CHECK(tags == std::vector<std::string>{"loss", "t"});
  CHECK(found[2].kind == run_metadata);
  CHECK(found[2].tag == "step 5");
  CHECK(found[2].summary().empty());
  CHECK(found[3].kind == graph);
  CHECK(found[3].step == -1);
  CHECK(name_of(found[2].kind) == "run_metadata");
}

TEST_CASE("a file of events cut at any byte ends in an error, or after an event") {
  const test_folder folder;
  const std::string whole = write_events(folder / "whole");
  std::vector<std::size_t> ends{0};
  for (const std::string& e : events()) ends.push_back(ends.back() + 16 + e.size());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    fuzz_targets::put(folder / "cut", std::string_view(whole).substr(0, size));
    const outcome o = read_events(folder / "cut");
    const auto complete = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), size) - ends.begin()) - 1;
    CHECK(o.found.size() == complete);
    CHECK(static_cast<bool>(o.why) == (ends[complete] != size));
    if (o.why) CHECK(o.why.code() == error_code::data_loss);
  }
}

TEST_CASE("a changed bit is found by its checksum") {
  const test_folder folder;
  const std::string whole = write_events(folder / "whole");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    fuzz_targets::put(folder / "flipped", flipped);
    CHECK(read_events(folder / "flipped").why.code() == error_code::data_loss);
  }
}

TEST_CASE("a record with a right checksum that is no event names file and offset, and stays an error") {
  const test_folder folder;
  auto to = fg::record_writer::create(folder / "a").value();
  to.write(events()[0]).value();
  to.write("nonsense").value();
  to.write(events()[1]).value();
  to.close().value();
  auto from = fg::event_reader::open(folder / "a").value();
  fg::event e;
  CHECK(from.next(e).value());
  for (int i = 0; i < 2; ++i) {
    const auto broken = from.next(e);
    REQUIRE_FALSE(broken);
    CHECK(broken.error().code() == error_code::data_loss);
    CHECK(broken.error().message().find(folder / "a") != std::string_view::npos);
    CHECK(broken.error().message().find("offset " + std::to_string(16 + events()[0].size())) != std::string_view::npos);
  }
}

TEST_CASE("changed events are refused, or other events") {
  for (const std::string& e : events()) try_changed(e, [](const std::string& bytes) { fuzz_targets::event(bytes); });
}
