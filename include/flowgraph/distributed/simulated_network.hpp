#pragma once
// A network of simulated hosts in one process, with simulated time, for tests. A seed determines all events, so that they can be
// repeated. Hosts can die, pause and restart, links can break, and the network can be partitioned.
//
//     fg::simulated_network net(seed);
//     auto a = net.host("a"), b = net.host("b");          // transports: a->listen("a:1", ...), b->connect("a:1", ...)
//     net.at(std::chrono::seconds(2), [&] { net.kill("a"); });
//     b->wait([&] { return is_done; }, std::chrono::minutes(1));
//
// Events are executed one at a time, on a thread that waits. With one such thread, the seed determines everything; the work of
// several threads between their waits is not controlled. A wait ends if there are no more events.

#include <flowgraph/distributed/frame_limits.hpp>
#include <flowgraph/distributed/transport.hpp>

#include <cstdint>
#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Durations and limits of a simulated network. The seed determines each delay between the least and the most.
struct simulated_network_options {
  std::chrono::nanoseconds least_delay = std::chrono::microseconds(50);    // shortest transmission time of a frame
  std::chrono::nanoseconds most_delay = std::chrono::microseconds(500);    // longest transmission time of a frame
  std::chrono::nanoseconds most_compute = std::chrono::microseconds(100);  // longest delay of a function given to compute()
  std::chrono::nanoseconds patience = std::chrono::minutes(10);            // limit of waits without a deadline, in simulated time
  frame_limits limits = {};                                                // limits of received frames
};

// Simulated hosts, the network between them, and their common clock.
class simulated_network {
public:
  explicit simulated_network(std::uint64_t seed, const simulated_network_options& options = {});
  ~simulated_network();
  simulated_network(const simulated_network&) = delete;
  simulated_network& operator=(const simulated_network&) = delete;

  // Returns the transport of a host. If the host was killed or released before, this is a new process. Addresses are "name:port".
  // The process ends normally when the transport has no owner.
  std::shared_ptr<transport> host(std::string_view name);

  // Kills the process of a host: none of its code runs any more, and the users of its links are not notified. Its peers are
  // notified that their links are closed.
  void kill(std::string_view host);
  // Like `kill`, but without notifying the peers, as in a power failure.
  void vanish(std::string_view host);
  // Pauses a host until it is resumed, like a process that is stopped. Meanwhile, events for the host wait.
  void pause(std::string_view host);
  // Resumes a host, and executes the events that waited.
  void resume(std::string_view host);
  // Blocks all frames between two hosts until `heal`. Links stay open.
  void cut(std::string_view a, std::string_view b);
  // Ends the blocking, and delivers the frames that waited.
  void heal(std::string_view a, std::string_view b);
  // Closes all links between two hosts. Frames in transit are lost.
  void break_links(std::string_view a, std::string_view b);
  // Sets the transmission times between two hosts, in both directions.
  void set_delay(std::string_view a, std::string_view b, std::chrono::nanoseconds least, std::chrono::nanoseconds most);

  // Calls `f` at that time.
  void at(std::chrono::nanoseconds when, unique_function<void()> f);
  // Returns the simulated time, which starts at 0.
  std::chrono::nanoseconds now() const;
  // Executes all events of the next period of this length.
  void run_for(std::chrono::nanoseconds time);
  // Returns a random number below `below`, determined by the seed, for random faults.
  std::uint64_t draw(std::uint64_t below);

  struct traffic {
    std::uint64_t frames = 0, bytes = 0;
  };
  // Returns the frames that arrived in one direction.
  traffic between(std::string_view from, std::string_view to) const;
  // Returns all frames that arrived.
  traffic all() const;

  struct state;

private:
  std::shared_ptr<state> state_;
};

}  // namespace flowgraph
