#include <distributed/tracing/trace_bytes.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
namespace wire = flowgraph::distributed;

namespace {

fg::collected_trace small_trace() {
  fg::collected_trace t;
  t.processes = {{"/job:worker/task:1", "machine", 4711}};
  t.threads = {{0, 0, 12}, {0, 1, 13}};
  t.texts = {"/job:worker/task:0"};
  t.nodes = {{"a", "Add", "/cpu:0", 0, false, {1}}, {"b", "Send", "/cpu:0", 0, true, {}}};
  fg::trace_event kernel, sent;
  kernel.kind = fg::trace_kind::kernel;
  kernel.thread = 1;
  kernel.node = 0;
  kernel.step = 3;
  kernel.ready = -5;
  kernel.start = 1'000'000'000'000;
  kernel.end = kernel.start + 7;
  kernel.bytes = 400;
  sent.kind = fg::trace_kind::send;
  sent.node = 1;
  sent.text = 0;
  sent.edge = 9;
  sent.key = 1ull << 63;
  sent.switches[1] = 2;
  t.events = {kernel, sent};
  t.dropped = 6;
  return t;
}

fg::recycled_text bytes_of(const fg::collected_trace& t) {
  fg::recycled_text made;
  wire::byte_writer to(made);
  wire::write_trace(to, t);
  return made;
}

bool is_read(const fg::recycled_text& bytes) {
  wire::byte_reader from(bytes);
  (void)wire::read_trace(from);
  return from.is_done();
}

}  // namespace

TEST_CASE("trace_bytes: what was written is read again, and nothing of it when a byte is missing") {
  const fg::recycled_text bytes = bytes_of(small_trace());
  wire::byte_reader from(bytes);
  const fg::collected_trace t = wire::read_trace(from);
  REQUIRE(from.is_done());
  CHECK(t.processes[0].name == "/job:worker/task:1");
  CHECK(t.processes[0].number == 4711);
  CHECK(t.threads[1].system_number == 13);
  CHECK(t.nodes[0].readers == std::vector<std::uint32_t>{1});
  CHECK(t.nodes[1].is_transfer);
  CHECK(t.texts[0] == "/job:worker/task:0");
  CHECK(t.dropped == 6);
  REQUIRE(t.events.size() == 2);
  CHECK(t.events[0].ready == -5);
  CHECK(t.events[0].end == 1'000'000'000'007);
  CHECK(t.events[0].bytes == 400);
  CHECK(t.events[1].edge == 9);
  CHECK(t.events[1].key == 1ull << 63);
  CHECK(t.events[1].switches[1] == 2);
  for (std::size_t length = 0; length < bytes.size(); ++length) CHECK_FALSE(is_read(bytes.substr(0, length)));
}

TEST_CASE("trace_bytes: a trace that speaks of what is not there is refused") {
  const auto changed = [](auto&& change) {
    fg::collected_trace t = small_trace();
    change(t);
    return bytes_of(t);
  };
  CHECK(is_read(changed([](fg::collected_trace&) {})));
  CHECK_FALSE(is_read(changed([](fg::collected_trace& t) { t.events[0].thread = 2; })));
  CHECK_FALSE(is_read(changed([](fg::collected_trace& t) { t.events[0].node = 2; })));
  CHECK_FALSE(is_read(changed([](fg::collected_trace& t) { t.events[1].text = 1; })));
  CHECK_FALSE(is_read(changed([](fg::collected_trace& t) { t.events[1].loop = 1; })));
  CHECK_FALSE(is_read(changed([](fg::collected_trace& t) { t.events[0].kind = fg::trace_kind::waiting; })));  // for no object
  CHECK_FALSE(is_read(changed([](fg::collected_trace& t) { t.events[0].kind = static_cast<fg::trace_kind>(99); })));
  CHECK_FALSE(is_read(changed([](fg::collected_trace& t) { t.nodes[1].readers = {2}; })));
}
