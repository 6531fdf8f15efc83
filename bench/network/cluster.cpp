// Steps over two tasks, each a process of its own, from a third one: the works of tensorflow_devices_bench.py that begin with cluster_.
//
//     bench_cluster [--work NAME[,NAME]] [--samples 5] [--seconds 0.2]

#include "../measure.hpp"

#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/standard.hpp>

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

namespace fg = flowgraph;

constexpr int small_tensors = 300, iterations = 1000;

int free_port() {
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (::bind(s, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::getsockname(s, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    std::exit(2);
  ::close(s);
  return ntohs(at.sin_port);
}

// Two tasks; they end with it.
class two_tasks {
public:
  two_tasks() {
    fg::cluster::job workers{"worker", {}};
    for (int i = 0; i < 2; ++i) workers.addresses.push_back(fg::message{"127.0.0.1:", free_port()});
    const fg::cluster all({workers});
    for (std::uint32_t i = 0; i < 2; ++i) {
      processes_[i] = ::fork();
      if (processes_[i] != 0) continue;
      fg::registry ops;
      fg::add_standard_ops(ops).value();
      fg::add_exchange_ops(ops).value();
      const fg::tcp::server here(all, "worker", i, ops);
      for (;;) ::pause();
    }
    address_ = workers.addresses[0];
  }
  ~two_tasks() {
    for (const pid_t p : processes_) ::kill(p, SIGKILL), ::waitpid(p, nullptr, 0);
  }
  two_tasks(const two_tasks&) = delete;
  // Tries until both are there.
  fg::session session(const fg::graph& g) const {
    fg::session s{g, fg::tcp::connect(address_)};
    return s;
  }

private:
  pid_t processes_[2] = {};
  std::string address_;
};

std::string on_task(int k) { return fg::message{"/job:worker/task:", k}; }

// The tasks begin when they like.
template <class F> void when_there(F f) {
  for (int i = 0;; ++i) {
    const auto made = f();
    if (made) return;
    if (i == 100) {
      std::fprintf(stderr, "bench_cluster: %s\n", made.error().what());
      std::exit(1);
    }
    ::usleep(50'000);
  }
}

void report(const bench::options& o, std::string_view work, std::string_view unit, double per, double check,
            fg::function_ref<void()> step) {
  bench::measure(o, {.variant = "session", .work = work, .unit = unit, .per = per}, check, step);
}

void step(const bench::options& o) {
  const two_tasks all;
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto on = g.on_device(on_task(1));
  const auto y = x + 1.f;
  fg::session s = all.session(g);
  when_there([&] { return s.try_run(fg::fetch(y), {{x, 1.f}}); });
  auto run = s.prepare(fg::feed(x), fg::fetch(y));
  report(o, "cluster_step", "us/step", 1, run(1.f).scalar(), [&] { run(1.f); });
}

void small(const bench::options& o) {
  const two_tasks all;
  fg::graph g;
  fg::out<float> x;
  std::vector<fg::out<float>> made;
  {
    const auto on = g.on_device(on_task(0));
    x = g.placeholder<float>("x", {});
    for (int k = 0; k < small_tensors; ++k)
      made.push_back(fg::fill(g.constant(fg::tensor<std::int32_t>({1}, {64})), x + static_cast<float>(k)));
  }
  const auto on = g.on_device(on_task(1));
  std::vector<fg::out<float>> negative;
  for (const auto& m : made) negative.push_back(-m);
  const auto y = fg::sum(fg::add_n(negative));
  fg::session s = all.session(g);
  when_there([&] { return s.try_run(fg::fetch(y), {{x, 1.f}}); });
  auto run = s.prepare(fg::feed(x), fg::fetch(y));
  report(o, "cluster_small", "us/step", 1, std::abs(run(1.f).scalar()), [&] { run(1.f); });
}

void large(const bench::options& o) {
  const two_tasks all;
  fg::graph g;
  fg::variable<float> w;
  {
    const auto on = g.on_device(on_task(0));
    w = g.variable("w", fg::ones<float>({25 << 20}));
  }
  const auto on = g.on_device(on_task(1));
  const auto y = fg::slice(fg::identity(fg::out<float>(w)), {0}, {1});
  fg::session s = all.session(g);
  when_there([&] { return s.try_initialize(); });
  auto run = s.prepare(fg::feed(), fg::fetch(y));
  report(o, "cluster_large", "ms/step", 1, run()[0], [&] { run(); });
}

void loop(const bench::options& o) {
  const two_tasks all;
  fg::graph g;
  fg::out<float> x;
  {
    const auto on = g.on_device(on_task(0));
    x = g.placeholder<float>("x", {});
  }
  const auto zero = g.constant(0), limit = g.constant(iterations);
  const auto [i, y] = fg::while_loop(
      std::tuple{zero, x}, [&](auto n, auto) { return n < limit; },
      [&](auto n, auto a) {
        fg::out<float> sum = a;
        for (int k = 0; k < 2; ++k) {
          const auto on = g.on_device(on_task(k));
          sum = sum + 1.f;
        }
        return std::tuple{n + 1, sum};
      },
      {.parallel_iterations = 1});
  const fg::out<float> last = y;
  fg::session s = all.session(g);
  when_there([&] { return s.try_run(fg::fetch(last), {{x, 1.f}}); });
  auto run = s.prepare(fg::feed(x), fg::fetch(last));
  report(o, "cluster_loop", "us/iteration", iterations, run(1.f).scalar(), [&] { run(1.f); });
}

}  // namespace

int main(int count, char** arguments) {
  bench::options o{.seconds = 0.2};
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i], value = arguments[i + 1];
    if (name == "--work") o.works = bench::split(value);
    else if (name == "--samples") o.samples = std::max(1, std::atoi(value.c_str()));
    else if (name == "--seconds") o.seconds = std::atof(value.c_str());
  }
  const std::pair<std::string_view, void (*)(const bench::options&)> works[] = {
      {"cluster_step", step}, {"cluster_small", small}, {"cluster_large", large}, {"cluster_loop", loop}};
  for (const auto& [name, run] : works)
    if (o.works.empty() || std::ranges::find(o.works, name) != o.works.end()) run(o);
}
