#pragma once
// A network that is not there: hosts in one process, whose time is counted and not waited for. What happens is chosen by a seed, and
// happens the same way again. Hosts die, sleep and come back, links break, networks fall apart: for tests of what must survive that.
//
//     fg::simulated_network net(seed);
//     auto a = net.host("a"), b = net.host("b");          // transports: a->listen("a:1", ...), b->connect("a:1", ...)
//     net.at(std::chrono::seconds(2), [&] { net.kill("a"); });
//     b->wait([&] { return is_done; }, std::chrono::minutes(1));
//
// Things happen while somebody waits, one at a time, on a thread that does. With one such thread the seed says all; what several do
// between their waits is their own affair. A wait ends where nothing is left to happen.

#include <flowgraph/distributed/frame_limits.hpp>
#include <flowgraph/distributed/transport.hpp>

#include <cstdint>
#include <memory>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// How long things take, between a least and a most that the seed chooses from.
struct simulated_network_options {
  std::chrono::nanoseconds least_delay = std::chrono::microseconds(50);    // of a frame on its way
  std::chrono::nanoseconds most_delay = std::chrono::microseconds(500);    // of a frame on its way
  std::chrono::nanoseconds most_compute = std::chrono::microseconds(100);  // until what is given to compute() has run
  std::chrono::nanoseconds patience = std::chrono::minutes(10);            // of a wait without a limit, in counted time
  frame_limits limits = {};                                                // of frames that come
};

// Hosts, what is between them, and the time that all of them have.
class simulated_network {
public:
  explicit simulated_network(std::uint64_t seed, const simulated_network_options& options = {});
  ~simulated_network();
  simulated_network(const simulated_network&) = delete;
  simulated_network& operator=(const simulated_network&) = delete;

  // The transport of a host; a new one, of a process started anew, where it has been killed or given up. Addresses are "name:port".
  // It ends as a process does that returns: when nobody holds it any more.
  std::shared_ptr<transport> host(std::string_view name);

  // Its process ends at once: nothing of it runs any more, and no user of its links hears so. Its peers hear that links are closed.
  void kill(std::string_view host);
  // As by a power failure: its peers hear nothing.
  void vanish(std::string_view host);
  // Nothing of it runs until it is resumed, as of a process that was stopped; what comes meanwhile waits.
  void pause(std::string_view host);
  // What has waited happens now.
  void resume(std::string_view host);
  // Between two hosts nothing arrives until they are healed; links stay.
  void cut(std::string_view a, std::string_view b);
  // What has waited arrives now.
  void heal(std::string_view a, std::string_view b);
  // Ends all links between two hosts; what is on its way is lost.
  void break_links(std::string_view a, std::string_view b);
  // Of frames between two hosts, both ways.
  void set_delay(std::string_view a, std::string_view b, std::chrono::nanoseconds least, std::chrono::nanoseconds most);

  // Calls `f` at that time.
  void at(std::chrono::nanoseconds when, unique_function<void()> f);
  // The time that has been counted, from 0.
  std::chrono::nanoseconds now() const;
  // Lets everything happen for so long.
  void run_for(std::chrono::nanoseconds time);
  // A number below `below`, by the seed: for schedules of faults.
  std::uint64_t draw(std::uint64_t below);

  struct traffic {
    std::uint64_t frames = 0, bytes = 0;
  };
  // What has arrived, one way.
  traffic between(std::string_view from, std::string_view to) const;
  // What has arrived anywhere.
  traffic all() const;

  struct state;

private:
  std::shared_ptr<state> state_;
};

}
}  // namespace flowgraph
