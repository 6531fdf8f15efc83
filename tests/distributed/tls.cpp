#include <flowgraph/distributed/tls.hpp>

#include "certificates.hpp"
#include "../harness/free_addresses.hpp"
#ifdef FLOWGRAPH_TEST_WORKER
#include "program/worker_program.hpp"
#endif
#include "proving/loopback.hpp"
#include "simulated_cluster.hpp"

#include <unistd.h>

#include <chrono>
#include <mutex>

using namespace flowgraph_test;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

// Tasks of one cluster, in this process.
struct tls_cluster {
  explicit tls_cluster(std::vector<fg::tcp::transport_options> networks) {
    const std::vector<std::string> addresses = free_addresses(networks.size());
    const fg::cluster all({{"worker", addresses}});
    for (std::size_t i = 0; i < networks.size(); ++i)
      servers.push_back(fg::tcp::server(all, "worker", static_cast<std::uint32_t>(i), cluster_ops(), {}, networks[i]));
  }
  const std::string& master() const { return servers[0].address(); }
  std::vector<fg::tcp::server> servers;
};

struct spread_sum {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown()), y;
  explicit spread_sum(bool is_spread) {
    fg::out<float> squares;
    {
      const auto on = g.on_device(is_spread ? "/job:worker/task:1" : "");
      squares = x * x;
    }
    const auto on = g.on_device(is_spread ? "/job:worker/task:0" : "");
    y = fg::exp(-squares) + x;
  }
};

fg::error error_at(const std::string& address, const fg::tcp::transport_options& network) {
  fg::graph g;
  const auto y = g.constant(1.f) + 1.f;
  fg::session s{g, fg::tcp::connect(address, {}, network)};
  const auto before = steady::now();
  const auto made = s.try_run(fg::fetch(y));
  CHECK(steady::now() - before < 8s);  // 5 s of the handshake, and a busy machine
  return made ? fg::error() : made.error();
}

void check_error(const fg::error& why, fg::error_code code, const char* words) {
  const std::string text = why.what();
  CAPTURE(text);
  CHECK(why.code() == code);
  CHECK(text.find(words) != text.npos);
}

// The errors that a transport reports about the links that it accepts.
struct told_ends {
  std::mutex mutex;
  std::vector<fg::error> all;
  fg::transport* on = nullptr;
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return all.size();
  }
};
struct telling_user final : fg::link_user {
  explicit telling_user(told_ends& t) : to(t) {}
  told_ends& to;
  void receive(fg::frame) override {}
  void lost(const fg::error& why) override {
    const std::lock_guard lock(to.mutex);
    to.all.push_back(why);
    to.on->wake();
  }
};

}  // namespace

TEST_CASE("tls: steps over encrypted connections are equal to those here") {
  if (!has_openssl()) return;
  const auto& c = certificates::get();
  const tls_cluster cluster({by_tls(c.of("a")), by_tls(c.of("b"))});
  spread_sum far(true), near(false);
  fg::session s{far.g, fg::tcp::connect(cluster.master(), {}, by_tls(c.of("b")))};
  fg::session here{near.g};
  for (const std::int64_t size : {1, 3000, 1, 5'000'000, 70'000}) {
    fg::tensor<float> x({size});
    float next = -2;
    for (float& v : x.writable()) v = (next = next > 2 ? -2 : next + .0137f);
    const auto got = s.run(fg::fetch(far.y), {{far.x, x}}), wanted = here.run(fg::fetch(near.y), {{near.x, x}});
    CHECK(std::equal(got.begin(), got.end(), wanted.begin(), wanted.end()));
  }
  // Checksums can be used in addition to those of TLS.
  auto sums = by_tls(c.of("a"));
  sums.checksums = true;
  const tls_cluster sure({sums, sums});
  fg::session t{far.g, fg::tcp::connect(sure.master(), {}, sums)};
  CHECK(t.run(fg::fetch(far.y), {{far.x, 0.f}}).scalar() == 1);
}

TEST_CASE("tls: a wrong certificate, and plain text, are refused in time by an error that says so") {
  if (!has_openssl()) return;
  const auto& c = certificates::get();
  using enum fg::error_code;
  const tls_cluster one({by_tls(c.of("a"))}), far({by_tls(c.of("far"))}), plain({fg::tcp::transport_options{}});
  const std::string &at = one.master(), &far_at = far.master();
  CHECK_FALSE(error_at(at, by_tls(c.of("b"))));
  check_error(error_at(at, by_tls(c.of("stranger", "others"))), unauthenticated, "is not accepted: ");
  check_error(error_at(at, by_tls(c.of("stranger"))), unauthenticated, "does not accept the certificate of this end");
  check_error(error_at(far_at, by_tls(c.of("a"))), unauthenticated, "IP address mismatch");
  fg::tcp::tls_options any = c.of("a");
  any.checks_hosts = false;
  CHECK_FALSE(error_at(far_at, by_tls(any)));
  CHECK_FALSE(error_at("localhost" + at.substr(at.rfind(':')), by_tls(c.of("a"))));
  check_error(error_at("localhost" + far_at.substr(far_at.rfind(':')), by_tls(c.of("a"))), unauthenticated, "hostname mismatch");
  check_error(error_at(at, {}), failed_precondition, "speaks TLS");
  check_error(error_at(plain.master(), by_tls(c.of("a"))), failed_precondition, "does not speak TLS");
  CHECK_FALSE(error_at(plain.master(), {}));
  CHECK_FALSE(error_at(at, by_tls(c.of("b"))));  // all of them continue
}

TEST_CASE("tls: between tasks a wrong certificate fails the step, and the error is the peer's") {
  if (!has_openssl()) return;
  const auto& c = certificates::get();
  const tls_cluster cluster({by_tls(c.of("a")), by_tls(c.of("stranger"))});
  spread_sum sum(true);
  fg::session s{sum.g, fg::tcp::connect(cluster.master(), {}, by_tls(c.of("b")))};
  const auto made = s.try_run(fg::fetch(sum.y), {{sum.x, 1.f}});
  REQUIRE_FALSE(made.has_value());
  CHECK_MESSAGE(std::string_view(made.error().what()).find("certificate") != std::string_view::npos, made.error().what());
}

TEST_CASE("tls: who accepts a connection and says nothing is given up") {
  if (!has_openssl()) return;
  const int mute = ::socket(AF_INET, SOCK_STREAM, 0);
  const std::uint16_t port = listen_with(mute, 5);
  REQUIRE(port != 0);
  const std::string address = fg::message{"127.0.0.1:", port};
  check_error(error_at(address, by_tls(certificates::get().of("a"))), fg::error_code::unavailable, "silent");
  ::close(mute);
}

TEST_CASE("tls: a peer without a certificate, one that speaks TLS 1.1, and one that speaks none") {
  if (!has_openssl()) return;
  const auto& c = certificates::get();
  told_ends told;
  auto on = fg::tcp::make_transport(by_tls(c.of("a")));
  told.on = on.get();
  const auto at = on->listen("127.0.0.1:0", [&](const auto&) { return std::make_shared<telling_user>(told); });
  REQUIRE(at);
  // OpenSSL uses the old version only without a minimum security level.
  const std::string client = fg::message{"openssl s_client -cipher DEFAULT@SECLEVEL=0 -connect ", *at};
  const std::string known = fg::message{" -cert ", c.file("b", "pem"), " -key ", c.file("b", "key")};
  const auto last = [&](std::size_t before) {
    CHECK(on->wait([&] { return told.count() > before; }, on->clock().now() + 20s));
    const std::lock_guard lock(told.mutex);
    return told.all.size() > before ? std::string(told.all.back().what()) : std::string();
  };
  CHECK(status_of(client + known + " -tls1_2") == 0);
  CHECK(last(0).find("closed") != std::string::npos);
  CHECK(status_of(client + known + " -tls1_3") == 0);
  CHECK(last(1).find("closed") != std::string::npos);
  CHECK(status_of(client + known + " -tls1_1") == 1);
  CHECK_MESSAGE(last(2).find("unsupported protocol") != std::string::npos, last(2));
  CHECK(status_of(client + known + " -tls1") == 1);
  last(3);
  CHECK(status_of(client + " -tls1_2") == 1);
  CHECK(last(4).find("shows no certificate") != std::string::npos);
  on.reset();
}

#ifdef FLOWGRAPH_TEST_WORKER
TEST_CASE("tls: the program flowgraph-worker encrypts") {
  if (!has_openssl()) return;
  const auto& c = certificates::get();
  worker_program worker({"--certificate", c.file("b", "pem"), "--key", c.file("b", "key"), "--authority", c.file("ours", "pem")});
  CHECK_FALSE(error_at(worker.address(), by_tls(c.of("a"))));
  check_error(error_at(worker.address(), {}), fg::error_code::failed_precondition, "speaks TLS");
  CHECK(worker.end() == 0);
}
#endif

TEST_CASE("tls: files that are not there, or do not belong together") {
  if (!has_openssl()) return;
  const auto& c = certificates::get();
  const auto refused = [](const fg::tcp::tls_options& o, const char* words) {
    const auto made = fg::tcp::make_encryption(o);
    REQUIRE_FALSE(made.has_value());
    check_error(made.error(), fg::error_code::invalid_argument, words);
  };
  refused({}, "tls_options::certificate");
  fg::tcp::tls_options o = c.of("a");
  o.key = c.file("b", "key");
  refused(o, c.file("b", "key").c_str());
  o = c.of("a");
  o.authority = "/nowhere/ours.pem";
  refused(o, "/nowhere/ours.pem");
  o = c.of("a");
  o.certificate = c.file("a", "key");
  refused(o, "tls_options::certificate cannot be taken");
}

TEST_CASE("tls: beyond this machine it needs no leave") {
  if (!has_openssl()) return;
  const auto t = fg::tcp::make_transport(by_tls(certificates::get().of("a")));
  CHECK(t->listen("0.0.0.0:0", [](const auto&) { return nullptr; }));
}
