#pragma once
// Tasks on several machines, connected by TCP. A program that includes this header links flowgraph::tcp.
//
//     fg::tcp::server here(all, "worker", 0, ops);             // a task of the cluster `all`, until it is destroyed
//     fg::session s{g, fg::tcp::connect("127.0.0.1:4000")};    // in another process: its master is that task

#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/distributed/frame_limits.hpp>
#include <flowgraph/distributed/task.hpp>
#include <flowgraph/distributed/transport.hpp>

#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

class encryption;  // created by distributed/tls.hpp

// Options of the TCP connections of a process.
struct transport_options {
  // Number of I/O threads, each with its own connections. Several I/O threads may call acceptors at the same time.
  int io_threads = 1;
  int compute_threads = 2;         // number of threads for longer work
  bool busy_polling = false;       // true: I/O threads never sleep, which shortens response times and occupies one processor each
  bool checksums = false;          // true: frames have checksums; must be equal at both ends of a connection
  bool allow_other_hosts = false;  // true: allows connections to other machines even without encryption
  std::size_t most_links = 4096;   // largest number of links that authenticated peers have at a time
  // Largest number of links that are not authenticated yet, at most half of the process's descriptors. The oldest is closed to
  // make room.
  std::size_t most_strangers = 256;
  frame_limits limits = {};                          // limits of received frames
  std::shared_ptr<const encryption> encrypted = {};  // null: no encryption; otherwise peers also authenticate by certificates
};

// Creates a TCP transport with its own threads. When its last owner releases it, its links are lost. Its threads are then joined,
// unless one of these threads has released it.
std::shared_ptr<transport> make_transport(const transport_options& options = {});

// A task of a cluster, with its own threads. `ops` must outlive it.
class server {
public:
  // Creates a task. Raises errors.
  server(const cluster& all, std::string_view job, std::uint32_t index, const registry& ops, const task_options& options = {},
         const transport_options& network = {});
  // Creates a task. Returns errors.
  static result<server> make(const cluster& all, std::string_view job, std::uint32_t index, const registry& ops,
                             const task_options& options = {}, const transport_options& network = {});

  // Returns "/job:worker/task:0".
  const std::string& name() const noexcept { return task_->name(); }
  // Returns the address at which the task listens, with the port that the system has chosen for port 0.
  const std::string& address() const noexcept { return task_->address(); }
  // Returns the task.
  const flowgraph::task& task() const noexcept { return *task_; }

private:
  explicit server(std::unique_ptr<flowgraph::task> result) noexcept : task_(std::move(result)) {}
  std::unique_ptr<flowgraph::task> task_;
};

// Returns a target for sessions whose master is the task at this address. The first run connects; if the master is lost, the next
// run connects again. Each call creates a transport with its own thread.
session_target connect(std::string address, const connect_options& options = {}, const transport_options& network = {});

}  // namespace flowgraph::tcp
