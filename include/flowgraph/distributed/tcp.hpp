#pragma once
// Tasks on many machines, over TCP. A program that includes this links flowgraph::tcp.
//
//     auto t = fg::tcp::make_transport({.io_threads = 1});
//     t->listen("127.0.0.1:4000", accept);

#include <flowgraph/distributed/frame_limits.hpp>
#include <flowgraph/distributed/transport.hpp>

#include <memory>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

// How a process speaks to others.
struct transport_options {
  int io_threads = 1;              // each owns some of the connections alone; with several, acceptors are called by several
  int compute_threads = 2;         // for what takes its time
  bool busy_polling = false;       // I/O threads never sleep: shorter answers, for a processor each
  bool checksums = false;          // of every frame that is sent; frames that come without are refused
  bool allow_other_hosts = false;  // listens and connects beyond this machine; nothing is encrypted
  std::size_t most_links = 4096;   // that peers may make at a time
  frame_limits limits = {};        // of frames that come
};

// A transport over TCP, with threads of its own. It ends with its last owner: its links are lost then, and its threads have ended, unless
// it is one of them that lets go of it.
std::shared_ptr<transport> make_transport(const transport_options& options = {});

}
}
}  // namespace flowgraph::tcp
