// Frames as bytes: they can be read again from pieces of any size, and false lengths are refused before memory is allocated.

#include <distributed/frame_bytes.hpp>

#include <distributed/bytes.hpp>

#include "../harness/sanitized.hpp"

#include <doctest/doctest.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory_resource>
#include <random>

namespace fg = flowgraph;
namespace wire = fg::distributed;

namespace {

// Keeps the received frames.
struct frame_keeper final : fg::link_user {
  std::vector<fg::frame> frames;
  std::size_t checked = 0;
  fg::error refusal;

  fg::error check(const fg::frame_head&, std::span<const fg::tensor_head>) override {
    ++checked;
    return refusal;
  }
  void receive(fg::frame came) override { frames.push_back(std::move(came)); }
  void lost(const fg::error&) override {}
};

// Notes the largest requested allocation.
struct watched_memory final : std::pmr::memory_resource {
  std::size_t largest = 0;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    largest = std::max(largest, bytes);
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

std::string all_of(const wire::outgoing_bytes& out) {
  std::string all;
  std::vector<std::span<const std::byte>> pieces(4096);
  const std::size_t count = out.gather(pieces, static_cast<std::size_t>(-1));
  for (std::size_t i = 0; i < count; ++i) all.append(reinterpret_cast<const char*>(pieces[i].data()), pieces[i].size());
  return all;
}
std::string bytes_of_frame(const fg::frame& f, bool with_checksums = false) {
  wire::frame_writer writer(with_checksums);
  wire::outgoing_bytes out;
  CHECK_FALSE(writer.append(f, out));
  return all_of(out);
}

std::span<const std::byte> as_span(const std::string& s) { return std::as_bytes(std::span(s)); }

fg::frame rich_frame() {
  fg::frame f;
  f.kind = fg::frame_kind::value;
  f.is_dead = true;
  f.edge = 7;
  f.number = 1ull << 40;
  f.loop = 3;
  f.iteration = 5;
  f.body = "a body";
  f.tensors.push_back(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}).erased());
  f.tensors.push_back(fg::tensor<std::string>({2}, {std::string("one"), std::string(100, 'x')}).erased());
  f.tensors.push_back(fg::any_tensor());
  f.tensors.push_back(fg::tensor<std::int64_t>({0, 4}).erased());
  f.tensors.push_back(fg::tensor<bool>({3}, {true, false, true}).erased());
  fg::tensor<float> large({100, 100});
  for (std::size_t i = 0; i < 10000; ++i) large.writable()[i] = static_cast<float>(i);
  f.tensors.push_back(large.erased());
  f.tensors.push_back(fg::tensor<double>(2.5).erased());
  return f;
}

void check_equal(const fg::frame& a, const fg::frame& b) {
  CHECK(a.kind == b.kind);
  CHECK(a.is_dead == b.is_dead);
  CHECK(a.edge == b.edge);
  CHECK(a.number == b.number);
  CHECK(a.loop == b.loop);
  CHECK(a.iteration == b.iteration);
  CHECK(a.body == b.body);
  REQUIRE(a.tensors.size() == b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    const fg::any_tensor &x = a.tensors[i], &y = b.tensors[i];
    CHECK(x.type() == y.type());
    CHECK(x.shape() == y.shape());
    REQUIRE(x.size() == y.size());
    if (x.type() == fg::dtype::string) {
      for (std::size_t k = 0; k < x.size(); ++k) CHECK(x.as<std::string>()[k] == y.as<std::string>()[k]);
    } else if (x.bytes() != 0) {
      CHECK(std::memcmp(x.data(), y.data(), x.bytes()) == 0);
    }
  }
}

fg::error parse(const std::string& bytes, fg::link_user& to, const fg::frame_limits& limits = {}, bool needs_checksums = false,
                std::pmr::memory_resource* memory = std::pmr::new_delete_resource()) {
  wire::frame_parser parser(limits, needs_checksums, memory);
  return parser.take(as_span(bytes), to);
}

template <class T> void overwrite(std::string& bytes, std::size_t at, T value) {
  std::byte raw[sizeof(T)];
  wire::put_number(raw, value);
  std::memcpy(bytes.data() + at, raw, sizeof raw);
}

std::size_t fuzzed_inputs() {
  const char* told = std::getenv("FLOWGRAPH_TEST_FUZZ");
  if (told != nullptr && std::atoll(told) > 0) return static_cast<std::size_t>(std::atoll(told));
  return SEES_THREADS ? 2000 : 100000;  // on one thread
}

}  // namespace

TEST_CASE("numbers and text come back as they went, and nothing is read beyond the end") {
  fg::recycled_text bytes;
  wire::byte_writer out(bytes);
  out.number(std::uint8_t{200});
  out.number(std::int64_t{-5});
  out.number(1.5);
  out.number(true);
  out.text("some text");
  wire::byte_reader in{std::string_view(bytes)};
  CHECK(in.number<std::uint8_t>() == 200);
  CHECK(in.number<std::int64_t>() == -5);
  CHECK(in.number<double>() == 1.5);
  CHECK(in.number<bool>());
  CHECK(in.text() == "some text");
  CHECK(in.is_done());
  CHECK(in.number<std::uint32_t>() == 0);
  CHECK_FALSE(in.ok());

  fg::recycled_text lie;
  wire::byte_writer(lie).number(std::uint64_t{1} << 63);
  lie += "abc";
  wire::byte_reader of_lie{std::string_view(lie)};
  CHECK(of_lie.text().empty());
  CHECK_FALSE(of_lie.ok());
  wire::byte_reader counts{std::string_view(lie)};
  CHECK(counts.count(1) == 0);
  CHECK_FALSE(counts.ok());
}

TEST_CASE("a frame comes out as it went in, in pieces of any size") {
  const fg::frame f = rich_frame();
  for (const bool with_checksums : {false, true}) {
    wire::frame_writer writer(with_checksums);
    wire::outgoing_bytes out;
    for (int i = 0; i < 3; ++i) REQUIRE_FALSE(writer.append(f, out));
    const std::string bytes = all_of(out);
    CHECK(bytes.size() == 3 * wire::bytes_of(f));
    CHECK(bytes.size() == out.left());
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{1000}, bytes.size()}) {
      frame_keeper kept;
      wire::frame_parser parser({}, with_checksums, std::pmr::new_delete_resource());
      for (std::size_t at = 0; at < bytes.size(); at += piece)
        REQUIRE_FALSE(parser.take(as_span(bytes).subspan(at, std::min(piece, bytes.size() - at)), kept));
      CHECK_FALSE(parser.is_within_frame());
      CHECK(kept.checked == 3);
      REQUIRE(kept.frames.size() == 3);
      for (const fg::frame& came : kept.frames) check_equal(came, f);
    }
  }
}

TEST_CASE("payloads are read straight into their tensors") {
  const fg::frame f = rich_frame();
  const std::string bytes = bytes_of_frame(f, true);
  frame_keeper kept;
  wire::frame_parser parser({}, true, std::pmr::new_delete_resource());
  std::size_t at = 0, straight = 0;
  while (at < bytes.size()) {
    const auto room = parser.room();
    if (room.empty()) {
      REQUIRE_FALSE(parser.take(as_span(bytes).subspan(at, 1), kept));
      ++at;
    } else {
      const std::size_t some = std::min<std::size_t>(room.size(), 1000);
      std::memcpy(room.data(), bytes.data() + at, some);
      REQUIRE_FALSE(parser.filled(some, kept));
      at += some;
      straight += some;
    }
  }
  CHECK(straight >= 40000);
  REQUIRE(kept.frames.size() == 1);
  check_equal(kept.frames[0], f);
}

TEST_CASE("what has been written in parts goes on where it stopped, and holds large tensors until then") {
  fg::frame f;
  fg::tensor<float> large({100, 100});
  f.tensors.push_back(large.erased());
  f.tensors.push_back(fg::tensor<float>(1.0f).erased());
  wire::frame_writer writer(false);
  wire::outgoing_bytes out;
  REQUIRE_FALSE(writer.append(f, out));
  const std::string expected = all_of(out);
  f.tensors.clear();
  CHECK_FALSE(large.erased().is_unique());
  std::string written;
  std::mt19937 random(1);
  while (!out.empty()) {
    std::span<const std::byte> pieces[2];
    const std::size_t count = out.gather(pieces, 1 + random() % 5000);
    REQUIRE(count > 0);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      written.append(reinterpret_cast<const char*>(pieces[i].data()), pieces[i].size());
      bytes += pieces[i].size();
    }
    out.written(bytes);
  }
  CHECK(written == expected);
  CHECK(large.erased().is_unique());
}

TEST_CASE("lies about lengths are refused before memory is taken") {
  fg::frame f;
  f.kind = fg::frame_kind::value;
  f.tensors.push_back(fg::tensor<float>({4}).erased());
  f.body = "body";
  const std::string good = bytes_of_frame(f);
  struct lie {
    std::size_t at;
    std::uint64_t value;
  };
  const std::size_t first = wire::head_bytes;
  for (const lie& l : {lie{first + 8, 1ull << 63}, lie{first + 8, 17}, lie{first + 8, 0}, lie{first + 16, 1ull << 63},
                       lie{first + 16, 1ull << 62}, lie{first + 16, ~0ull}, lie{40, 1}, lie{40, ~0ull}}) {
    std::string bad = good;
    overwrite(bad, l.at, l.value);
    frame_keeper kept;
    watched_memory memory;
    const fg::error why = parse(bad, kept, {}, false, &memory);
    CHECK(why);
    CHECK(kept.frames.empty());
    CHECK(memory.largest == 0);
  }
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}, std::size_t{5}, std::size_t{6}, std::size_t{7}, std::size_t{12},
                               std::size_t{48}, std::size_t{52}, first, first + 1, first + 2}) {
    std::string bad = good;
    overwrite(bad, at, std::uint8_t{255});
    frame_keeper kept;
    watched_memory memory;
    bad.append(1000, '\0');
    CHECK(parse(bad, kept, {.body_bytes = 200}, false, &memory));
    CHECK(memory.largest < 1000);
  }
}

TEST_CASE("what is larger than the limits is refused, and says by how much") {
  frame_keeper kept;
  fg::frame f = rich_frame();
  const std::string bytes = bytes_of_frame(f);
  CHECK(parse(bytes, kept, {.body_bytes = 5}).code() == fg::error_code::resource_exhausted);
  CHECK(parse(bytes, kept, {.tensors = 6}).code() == fg::error_code::resource_exhausted);
  const fg::error why = parse(bytes, kept, {.tensor_bytes = 40000});
  CHECK(why.code() == fg::error_code::resource_exhausted);
  CHECK(std::string(why.what()).find("40000") != std::string::npos);
  CHECK(parse(bytes, kept, {.rank = 1}));
  kept.refusal = fg::error(fg::error_code::invalid_argument, "not of this edge");
  watched_memory memory;
  CHECK(parse(bytes, kept, {}, false, &memory).code() == fg::error_code::invalid_argument);
  CHECK(memory.largest == 0);
  CHECK(kept.frames.empty());
}

TEST_CASE("other versions and other protocols are named") {
  frame_keeper kept;
  const fg::error text = parse("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: everything\r\n\r\n and some more to fill it", kept);
  CHECK(text.code() == fg::error_code::data_loss);
  CHECK(std::string(text.what()).find("begin with 'GET.'") != std::string::npos);
  std::string later = bytes_of_frame({});
  overwrite(later, 4, std::uint8_t{9});
  const fg::error version = parse(later, kept);
  CHECK(version.code() == fg::error_code::failed_precondition);
  CHECK(std::string(version.what()).find("version 9") != std::string::npos);
}

TEST_CASE("a flipped bit anywhere, a lost frame and a repeated one are noticed") {
  fg::frame f = rich_frame();
  f.tensors.pop_back();
  f.tensors.pop_back();
  const std::string good = bytes_of_frame(f, true);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    frame_keeper kept;
    CHECK(parse(bad, kept, {.tensor_bytes = 1 << 20}, true));
    CHECK(kept.frames.empty());
  }
  frame_keeper kept;
  CHECK(parse(good + good, kept, {}, true));
  CHECK(kept.frames.size() == 1);
  // Different options are a permanent error; a flag that changes in a later frame is not.
  CHECK(parse(bytes_of_frame(f), kept, {}, true).code() == fg::error_code::failed_precondition);
  CHECK(parse(good, kept, {}, false).code() == fg::error_code::failed_precondition);
  CHECK(parse(good + bytes_of_frame(f), kept, {}, true).code() == fg::error_code::data_loss);
}

TEST_CASE("what cannot travel is an error of the sender, and the link goes on") {
  wire::frame_writer writer(false);
  wire::outgoing_bytes out;
  fg::frame f;
  f.tensors.push_back(fg::any_tensor::allocate(fg::dtype::resource, fg::shape{}).value());
  CHECK(writer.append(f, out).code() == fg::error_code::unimplemented);
  CHECK(out.empty());
  REQUIRE_FALSE(writer.append({}, out));
  frame_keeper kept;
  CHECK_FALSE(parse(all_of(out), kept));
  CHECK(kept.frames.size() == 1);
}

TEST_CASE("random changes of frames never do more than be refused") {
  std::vector<std::string> corpus;
  corpus.push_back(bytes_of_frame({}));
  fg::frame f = rich_frame();
  corpus.push_back(bytes_of_frame(f));
  f.tensors.erase(f.tensors.end() - 2);
  corpus.push_back(bytes_of_frame(f) + bytes_of_frame({}));
  f.tensors.resize(2);
  corpus.push_back(bytes_of_frame(f));
  std::mt19937_64 random(20151109);
  watched_memory memory;
  std::size_t refused = 0;
  const std::size_t inputs = fuzzed_inputs();
  for (std::size_t i = 0; i < inputs; ++i) {
    std::string bytes = corpus[random() % 8 == 0 ? 1 : (random() % 2) * 2 + (random() % 2)];
    const auto changes = 1 + random() % 4;
    for (std::size_t k = 0; k < changes && !bytes.empty(); ++k) {
      // Lengths and types at the beginning change more often than other bytes.
      const std::size_t near = std::min<std::size_t>(bytes.size(), random() % 2 ? 64 : 160);
      const std::size_t at = random() % (random() % 4 ? near : bytes.size());
      switch (random() % 6) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8))); break;
        case 2: bytes.erase(at, 1 + random() % 16); break;
        case 3: bytes.insert(at, random() % 16, static_cast<char>(random())); break;
        case 4:
          if (at + 8 <= bytes.size()) overwrite(bytes, at & ~std::size_t{7}, std::uint64_t{1} << (random() % 64));
          break;
        case 5: bytes.resize(at); break;
      }
    }
    frame_keeper kept;
    wire::frame_parser parser({.body_bytes = 1 << 16, .tensors = 64, .tensor_bytes = 1 << 20}, false, &memory);
    const std::size_t piece = random() % 2 ? bytes.size() + 1 : 1 + random() % 97;
    fg::error why;
    for (std::size_t at = 0; at < bytes.size() && !why; at += piece)
      why = parser.take(as_span(bytes).subspan(at, std::min(piece, bytes.size() - at)), kept);
    refused += why ? 1 : 0;
  }
  CHECK(refused > inputs / 4);
  CHECK(refused < inputs);
  CHECK(memory.largest <= (5u << 20));  // a string occupies 32 bytes, and its length 8
}

#if defined(__linux__) && defined(FLOWGRAPH_EXCEPTIONS)
TEST_CASE("a body and strings that are larger than memory are refused") {
  if (flowgraph_test::is_sanitized) return;
  fg::frame f;
  SUBCASE("body") { f.body.assign(std::size_t{100} << 20, 'x'); }
  SUBCASE("strings") { f.tensors.push_back(fg::tensor<std::string>(std::string(std::size_t{100} << 20, 'x')).erased()); }
  const std::string bytes = bytes_of_frame(f);
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (std::size_t{40} << 20);
    const rlimit limit{most, most};
    frame_keeper kept;
    const bool is_limited = ::setrlimit(RLIMIT_AS, &limit) == 0;
    wire::frame_parser parser({}, false, std::pmr::new_delete_resource());
    fg::error why;
    for (std::size_t at = 0; at < bytes.size() && !why; at += 1 << 16)
      why = parser.take(as_span(bytes).subspan(at, std::min<std::size_t>(1 << 16, bytes.size() - at)), kept);
    ::_exit(is_limited && why.code() == fg::error_code::resource_exhausted ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}
#endif
