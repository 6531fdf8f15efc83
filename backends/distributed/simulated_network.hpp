#pragma once
// The state of a simulated network: events in order of time, hosts, and connections with two ends each.

#include "frame_bytes.hpp"

#include <flowgraph/distributed/simulated_network.hpp>

#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

namespace flowgraph::inline FLOWGRAPH_ABI {
namespace distributed {

using std::chrono::nanoseconds;

class simulated_host;

// An event on its way to one end of a connection.
struct arriving {
  enum class event_kind : std::uint8_t { open, frame, loss };
  event_kind kind = event_kind::frame;
  flowgraph::frame frame = {};
  error why = {};
};

// One end of a connection: its process, its user, and the arrivals on their way to it. Guarded by the network's mutex, except for
// writer, parser and user, which only events use.
struct simulated_end {
  std::string host, address;  // of this end
  std::uint64_t generation = 0;
  std::shared_ptr<link_user> user;
  bool is_closing = false, is_lost = false;
  std::deque<arriving> inbox;
  std::size_t stalled = 0;  // arrivals that a cut holds up
  nanoseconds last_arrival{}, heard{};
  std::unique_ptr<frame_writer> writer;
  std::unique_ptr<frame_parser> parser;
};

struct simulated_connection {
  std::array<simulated_end, 2> ends;  // the connecting end, the accepting end
};

struct simulated_process {
  std::uint64_t generation = 0;
  bool is_alive = false, is_paused = false;
  std::weak_ptr<simulated_host> transport;
  std::map<std::string, std::shared_ptr<transport::acceptor>, std::less<>> listeners;
  int next_port = 1000;
  std::vector<unique_function<void()>> held;  // events that wait while it is paused
};

}

struct simulated_network::state : std::enable_shared_from_this<simulated_network::state> {
  using nanoseconds = std::chrono::nanoseconds;
  using connection_ref = std::shared_ptr<distributed::simulated_connection>;

  // An event of a host's process. If it has no host, it happens in any case.
  struct event {
    std::string host;
    std::uint64_t generation = 0;
    unique_function<void()> run;
  };

  state(std::uint64_t seed, const simulated_network_options& o) : options(o), random(seed) {}

  // Called with the mutex held.
  std::uint64_t draw();
  nanoseconds draw_between(nanoseconds least, nanoseconds most);
  nanoseconds delay(const std::string& a, const std::string& b);
  bool is_cut(const std::string& a, const std::string& b) const;
  bool is_alive(std::string_view host, std::uint64_t generation) const;
  void schedule(nanoseconds when, std::string host, std::uint64_t generation, unique_function<void()> run);
  void put(const connection_ref& c, int to, distributed::arriving what);
  void let_in(const connection_ref& c, int to, nanoseconds later);

  // Called without the mutex.
  bool wait(function_ref<bool()> is_done, nanoseconds until);
  void wake();
  void try_connect(const connection_ref& c, nanoseconds began);
  void accept(const connection_ref& c);
  void arrive(const connection_ref& c, int to);
  void deliver(const connection_ref& c, int to, link_user& user, flowgraph::frame&& f);
  void close(const connection_ref& c, int end, const error& why);
  void lose(const connection_ref& c, int end, const error& why);
  void end_process(std::string_view host, std::uint64_t generation, bool peers_hear, bool own_hear);

  simulated_network_options options;
  mutable std::mutex mutex;
  std::condition_variable changed;
  nanoseconds now{};
  std::uint64_t random, sequence = 0, changes = 0;
  bool is_running = false;
  std::thread::id runner;
  std::set<std::thread::id> waiters;
  std::map<std::tuple<nanoseconds, std::uint64_t, std::uint64_t>, event> events;
  std::map<std::string, distributed::simulated_process, std::less<>> hosts;
  std::vector<connection_ref> connections;
  std::set<std::pair<std::string, std::string>> cuts;
  std::map<std::pair<std::string, std::string>, std::pair<nanoseconds, nanoseconds>> delays;
  std::map<std::pair<std::string, std::string>, traffic> counted;

private:
  void run_first(std::unique_lock<std::mutex>& lock);
};

namespace distributed {

// The link that the user of one end gets.
class simulated_link final : public link {
public:
  simulated_link(std::shared_ptr<simulated_network::state> net, std::shared_ptr<simulated_connection> both, int end)
      : net_(std::move(net)), both_(std::move(both)), end_(end) {}
  void send(frame f) override;
  void close(const error& why) override { net_->close(both_, end_, why); }
  std::string address() const override { return both_->ends[static_cast<std::size_t>(1 - end_)].address; }
  nanoseconds heard() const override;

private:
  std::shared_ptr<simulated_network::state> net_;
  std::shared_ptr<simulated_connection> both_;
  int end_;
};

class simulated_host final : public transport, private task_clock {
public:
  simulated_host(std::shared_ptr<simulated_network::state> net, std::string name, std::uint64_t generation)
      : net_(std::move(net)), name_(std::move(name)), generation_(generation) {}
  ~simulated_host() override { net_->end_process(name_, generation_, true, true); }

  result<std::string> listen(std::string_view address, acceptor accept) override;
  std::shared_ptr<link> connect(std::string_view address, std::shared_ptr<link_user> user) override;
  task_clock& clock() noexcept override { return *this; }
  void compute(unique_function<void()> f) override;
  bool wait(function_ref<bool()> is_done, nanoseconds until) override;
  void wake() override { net_->wake(); }

private:
  nanoseconds now() const override;
  void call_at(nanoseconds when, unique_function<void()> f) override;

  std::shared_ptr<simulated_network::state> net_;
  std::string name_;
  std::uint64_t generation_;
};

}
}  // namespace flowgraph
