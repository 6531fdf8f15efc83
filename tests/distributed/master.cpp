// A session at its master, which is also its only worker.

#include "simulated_cluster.hpp"

#include <distributed/master.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/ops/random/random.hpp>

#include <optional>

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

  // Returns the result of a run, or the error that ended it.
  fg::result<fg::any_tensor> run(std::uint32_t handle, fg::recycled_tensors feeds) {
    fg::error ended(fg::error_code::internal, "nothing has come");
    fg::any_tensor made;
    session->run(handle, 1, std::move(feeds), true, [&](const fg::error& why, fg::recycled_tensors fetched) {
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

// Adds random numbers to the fed value.
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

namespace {

// A partial run at its master.
struct lone_partial {
  random_graph r;
  lone_master m{r.g};
  fg::error ended;
  bool is_over = false;

  explicit lone_partial(std::uint64_t asked = 1) {
    auto wanted = r.request();
    wanted.is_partial_run = true;
    std::string needs;
    const auto handle = m.session->prepare(m.more, wanted, &needs);
    REQUIRE_MESSAGE(handle, std::string(handle.error().what()));
    CHECK(needs == std::string(1, '\1'));
    const auto on_end = [this](const fg::error& why, fg::recycled_tensors) {
      ended = why;
      is_over = true;
    };
    m.session->run(*handle, asked, {}, true, on_end, nullptr, true);
    m.net.run_for(1s);
  }
  // Returns the answer; nothing if there is no answer.
  std::optional<fg::error> piece(const std::vector<std::uint32_t>& feeds, const std::vector<std::uint32_t>& wanted,
                                 fg::recycled_tensors values, std::string_view more = {}) {
    fg::recycled_text text;
    wire::byte_writer to(text);
    wire::write_numbers(to, feeds);
    wire::write_numbers(to, wanted);
    to.raw(more);
    wire::byte_reader from(text);
    std::optional<fg::error> made;
    m.session->next_piece(1, from, values, [&](const fg::error& why, std::string_view, fg::recycled_tensors) { made = why; });
    m.net.run_for(1s);
    return made;
  }
};

}  // namespace

TEST_CASE("master: a piece that makes no sense ends its partial run, before it has begun and after") {
  const fg::recycled_tensors one{zeros.erased()}, two{zeros.erased(), zeros.erased()};
  const auto ends = [](lone_partial& p, const std::optional<fg::error>& why) {
    CHECK((why && why->code() == fg::error_code::invalid_argument));
    CHECK(p.is_over);
    CHECK(p.ended.code() == fg::error_code::invalid_argument);
    const auto later = p.piece({0}, {}, {zeros.erased()});
    CHECK((later && later->code() == fg::error_code::failed_precondition));
    CHECK(p.m.keeps.kept() <= 1);  // only the part, which remains registered
  };
  const auto refused = [&](const std::vector<std::uint32_t>& feeds, const std::vector<std::uint32_t>& wanted,
                           const fg::recycled_tensors& values, std::string_view more = {}) {
    lone_partial p;
    ends(p, p.piece(feeds, wanted, values, more));
  };
  refused({1}, {}, one);
  refused({0}, {}, two);
  refused({0, 0}, {}, two);
  refused({}, {1}, {});
  refused({}, {0, 0}, {});
  refused({0}, {}, one, "more");
  refused({0}, {}, {fg::tensor<float>({5}).erased()});  // the part detects the error
  lone_partial p;
  const auto first = p.piece({0}, {}, one);
  CHECK((first && !*first));
  CHECK_FALSE(p.is_over);
  ends(p, p.piece({0}, {}, one));
}

TEST_CASE("master: a partial run ends with its last fetch, and news of no sense change nothing") {
  lone_partial p;
  const auto first = p.piece({0}, {}, {zeros.erased()});
  CHECK((first && !*first));
  wire::body_of body(wire::message_kind::known_fetches);
  const std::uint64_t step = std::uint64_t{5} << 32 | 1;
  for (const std::uint64_t n : {step, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{7}})
    body.bytes.number(n);
  body.bytes.number(std::uint32_t{0});
  wire::write_error(body.bytes, {});
  for (std::size_t size = 0; size <= body.text.size(); ++size) {
    fg::frame f;
    f.body = body.text.substr(0, size);
    p.m.session->hear_of_fetches(std::move(f));
  }
  CHECK_FALSE(p.is_over);
  const auto last = p.piece({}, {0}, {});
  CHECK((last && !*last));
  CHECK(p.is_over);
  CHECK_FALSE(p.ended);
}
