#include "../cluster_ops.hpp"

#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace fg = flowgraph;

namespace {

fg::error error_at(const std::string& address) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2}), y = x + x;
  fg::session s{g, fg::tcp::connect(address)};
  const auto made = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, 2})}});
  return made.error();
}

}  // namespace

TEST_CASE("addresses: one that is malformed is a lasting mistake, a host that is not known is not") {
  for (const char* malformed : {"nonsense", "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1"}) {
    CAPTURE(malformed);
    const fg::error why = error_at(malformed);
    CHECK(why.code() == fg::error_code::invalid_argument);
    CHECK(std::string_view(why.what()).find("is not an address: expected host:port") != std::string_view::npos);
  }
  CHECK(error_at("nowhere.invalid:4000").code() == fg::error_code::unavailable);
}

TEST_CASE("addresses: a server refuses a cluster with one that is malformed, and names the task") {
  const auto made = fg::tcp::server::make({{"worker", {"127.0.0.1:0", "nonsense"}}}, "worker", 0, flowgraph_test::cluster_ops());
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code() == fg::error_code::invalid_argument);
  CHECK(std::string_view(made.error().what()).find("/job:worker/task:1") != std::string_view::npos);
  const auto unknown = fg::tcp::server::make({{"worker", {"nowhere.invalid:0"}}}, "worker", 0, flowgraph_test::cluster_ops());
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().code() == fg::error_code::unavailable);
}
