// The options of flowgraph-worker, as its clients see them. tests/programs/worker.sh tests its errors.

#ifdef FLOWGRAPH_TEST_WORKER

#include "worker_program.hpp"

#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/flowgraph.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

namespace fg = flowgraph;
using flowgraph_test::worker_program;
using namespace std::chrono_literals;

namespace {

struct doubling {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any}), y = x + x;
  fg::session s;
  explicit doubling(const std::string& address, const fg::connect_options& options = {},
                    const fg::tcp::transport_options& network = {})
      : s(g, fg::tcp::connect(address, options, network)) {}
  // Returns the error of a run with this number of elements, if it fails.
  fg::error run(std::int64_t elements = 3) {
    fg::tensor<float> in({elements});
    for (float& v : in.writable()) v = 2;
    const auto made = s.try_run(fg::fetch(y), {{x, in}});
    if (!made) return made.error();
    CHECK((*made)[0] == 4);
    return {};
  }
};

struct token_file {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("flowgraph_worker_token_" + std::to_string(::getpid()))).string();
  explicit token_file(const char* bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  ~token_file() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("worker program: checksums at one end alone are a lasting mistake") {
  worker_program with({"--checksums"}), without({});
  CHECK_FALSE(doubling(with.address(), {}, {.checksums = true}).run());
  CHECK_FALSE(doubling(without.address()).run());
  for (const bool program_has : {true, false}) {
    doubling client((program_has ? with : without).address(), {}, {.checksums = !program_has});
    const fg::error why = client.run();
    CHECK(why.code() == fg::error_code::failed_precondition);
    CHECK(std::string_view(why.what()).find("transport_options::checksums") != std::string_view::npos);
  }
  CHECK(with.end() == 0);
}

TEST_CASE("worker program: limits of messages and of links") {
  worker_program small({"--most-tensor-bytes", "1", "--most-tensors", "1"}), alone({"--most-links=1"});
  doubling client(small.address());
  CHECK_FALSE(client.run(200'000));
  CHECK(client.run(300'000).code() == fg::error_code::unavailable);
  CHECK(small.line().find("shape [300000], and 1048576 bytes are allowed") != std::string::npos);
  CHECK_FALSE(client.run());
  std::optional<doubling> first(alone.address());
  CHECK_FALSE(first->run());
  doubling second(alone.address());
  CHECK(second.run().code() == fg::error_code::unavailable);
  first.reset();
  fg::error left;
  for (int i = 0; i < 100 && (left = second.run()); ++i) std::this_thread::sleep_for(100ms);
  CHECK_FALSE(left);
}

TEST_CASE("worker program: the token is the first line of its file, without a carriage return") {
  const token_file file("secret\r\n");
  worker_program task({"--token-file", file.path});
  CHECK_FALSE(doubling(task.address(), {.token = "secret"}).run());
  for (const char* wrong : {"", "secret\r", "other"})
    CHECK(doubling(task.address(), {.token = wrong}).run().code() == fg::error_code::unauthenticated);
}

TEST_CASE("worker program: refused peers are a few lines in a second, then their number") {
  const token_file file("secret\n");
  worker_program task({"--token-file", file.path});
  constexpr int strangers = 60;
  for (int i = 0; i < strangers; ++i)
    CHECK(doubling(task.address(), {.token = "wrong"}).run().code() == fg::error_code::unauthenticated);
  int told = 0, counts = 0, lines = 0;
  while (told < strangers) {
    const std::string line = task.line();
    CAPTURE(line);
    REQUIRE(!line.empty());
    if (int more = 0; std::sscanf(line.c_str(), "flowgraph-worker: and %d more peers were refused", &more) == 1) {
      told += more;
      ++counts;
    } else {
      CHECK(line.find(" 127.0.0.1:") != std::string::npos);
      CHECK(line.find("was refused") != std::string::npos);
      ++told;
    }
    ++lines;
  }
  CHECK(told == strangers);
  CHECK(counts >= 1);
  CHECK(lines < strangers);
}

#endif
