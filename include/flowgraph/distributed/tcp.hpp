#pragma once
// Tasks on many machines, over TCP. A program that includes this links flowgraph::tcp.
//
//     fg::tcp::server here(all, "worker", 0, ops);             // a task of the cluster `all`, from now until it is destroyed
//     fg::session s{g, fg::tcp::connect("127.0.0.1:4000")};    // in another process: its master is that task

#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/distributed/frame_limits.hpp>
#include <flowgraph/distributed/task.hpp>
#include <flowgraph/distributed/transport.hpp>

#include <memory>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

class encryption;  // distributed/tls.hpp makes one

// How a process speaks to others.
struct transport_options {
  int io_threads = 1;              // each owns some of the connections alone; with several, acceptors are called by several
  int compute_threads = 2;         // for what takes its time
  bool busy_polling = false;       // I/O threads never sleep: shorter answers, for a processor each
  bool checksums = false;          // of every frame; has to be the same at both ends of a connection
  bool allow_other_hosts = false;  // listens and connects beyond this machine, also where nothing is encrypted
  std::size_t most_links = 4096;   // that peers may make at a time, and have proved who they are
  std::size_t most_strangers =
      256;  // and that have not yet, half of the process's descriptors at most: the oldest makes room for the next
  frame_limits limits = {};                          // of frames that come
  std::shared_ptr<const encryption> encrypted = {};  // null: nothing is; else peers prove themselves by certificates too
};

// A transport over TCP, with threads of its own. It ends with its last owner: its links are lost then, and its threads have ended, unless
// it is one of them that lets go of it.
std::shared_ptr<transport> make_transport(const transport_options& options = {});

// A task of a cluster, with threads of its own. The ops outlive it.
class server {
public:
  // Raises errors.
  server(const cluster& all, std::string_view job, std::uint32_t index, const registry& ops, const task_options& options = {},
         const transport_options& network = {});
  // Returns them.
  static result<server> make(const cluster& all, std::string_view job, std::uint32_t index, const registry& ops,
                             const task_options& options = {}, const transport_options& network = {});

  // "/job:worker/task:0".
  const std::string& name() const noexcept { return task_->name(); }
  // Where it listens: with the port that the system has chosen where port 0 was asked for.
  const std::string& address() const noexcept { return task_->address(); }
  // The task itself.
  const flowgraph::task& task() const noexcept { return *task_; }

private:
  explicit server(std::unique_ptr<flowgraph::task> made) noexcept : task_(std::move(made)) {}
  std::unique_ptr<flowgraph::task> task_;
};

// The session's master is the task that listens there. The first run connects; a session whose master is lost connects anew with the next
// run. Each call makes a transport of its own, with a thread.
session_target connect(std::string address, const connect_options& options = {}, const transport_options& network = {});

}
}
}  // namespace flowgraph::tcp
