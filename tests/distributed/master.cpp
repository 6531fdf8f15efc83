// A session at its master, which is its only worker too.

#include "simulated_cluster.hpp"

#include <distributed/master.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/ops/random/random.hpp>

using namespace flowgraph_test;
using namespace std::chrono_literals;
namespace wire = fg::distributed;

namespace {

struct lone_master {
  explicit lone_master(const fg::graph& g, const wire::master_options& options = {})
      : session(std::make_shared<wire::master_session>(services, 5, options)), more(fg::record_of(g).value()) {}
  ~lone_master() {
    session->close(fg::error(fg::error_code::cancelled, "the test has ended"));
    net.run_for(1s);
  }

  // An error is what the run has ended with.
  fg::result<fg::any_tensor> run(std::uint32_t handle, std::vector<fg::any_tensor> feeds) {
    fg::error ended(fg::error_code::internal, "nothing has come");
    fg::any_tensor made;
    session->run(handle, 1, std::move(feeds), true, [&](const fg::error& why, std::vector<fg::any_tensor> fetched) {
      ended = why;
      if (!why) made = fetched.at(0);
    });
    net.run_for(1s);
    if (ended) return ended;
    return made;
  }

  fg::simulated_network net{1};
  std::shared_ptr<fg::transport> by = net.host("a");
  fg::cluster all{{"worker", {"a:1"}}};
  wire::peers others{*by, all, {[](wire::lost_link, const fg::error&) {}, nullptr}};
  wire::worker keeps{*by, cluster_ops(), others, std::pmr::new_delete_resource()};
  wire::master_services services{*by, all, 0, cluster_ops(), others, keeps, {}};
  std::shared_ptr<wire::master_session> session;
  fg::graph_record more;
};

// Random numbers on top of what is fed.
struct random_graph {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {4});
  fg::out<float> y = fg::random_uniform<float>(g, {4}, {.seed = 3}) + x;

  wire::master_session::request request() const { return {{{x.source->id, 0}}, {{y.source->id, 0}}, {}}; }
};

const fg::tensor<float> zeros({4}, {0, 0, 0, 0});

}  // namespace

TEST_CASE("master: a run that lacks a feed is refused, and draws no numbers") {
  random_graph r;
  lone_master m(r.g);
  const auto handle = m.session->prepare(m.more, r.request());
  REQUIRE_MESSAGE(handle, std::string(handle.error().what()));
  CHECK(m.run(*handle, {}).error().code() == fg::error_code::invalid_argument);
  CHECK(m.run(*handle + 1, {zeros.erased()}).error().code() == fg::error_code::invalid_argument);
  const auto made = m.run(*handle, {zeros.erased()});
  REQUIRE(made);
  fg::session here{r.g};
  const auto first = here.run(fg::fetch(r.y), {{r.x, zeros}});
  CHECK(std::equal(first.begin(), first.end(), made->as<float>().begin()));
}

TEST_CASE("master: the steps of a session are numbered once, and then are over") {
  random_graph r;
  lone_master m(r.g, {.steps = 0xfffffffe});
  const auto handle = m.session->prepare(m.more, r.request());
  REQUIRE_MESSAGE(handle, std::string(handle.error().what()));
  CHECK(m.run(*handle, {zeros.erased()}));
  CHECK(m.run(*handle, {zeros.erased()}).error().code() == fg::error_code::resource_exhausted);
  CHECK(m.run(*handle, {zeros.erased()}).error().code() == fg::error_code::resource_exhausted);
}
