#pragma once
// Addresses of this machine at which no process listens.

#include <flowgraph/core/message.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace flowgraph_test {

// Returns whether a process could listen at the port.
inline bool is_free(std::uint16_t port) {
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;  // ignores remains of connections that have ended
  ::setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  const bool is_bound = ::bind(s, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  ::close(s);
  return is_bound;
}

// Returns free addresses. A process uses 16 ports of its own in turns, below those that the system gives to connections.
// Otherwise concurrent tests would take the chosen ports before the task listens.
inline std::vector<std::string> free_addresses(std::size_t count) {
  constexpr unsigned first = 10000, of_a_process = 16, processes = 1400;
  static std::atomic<unsigned> turn{0};
  const unsigned own = first + static_cast<unsigned>(::getpid()) % processes * of_a_process;
  std::vector<std::string> made;
  for (unsigned tried = 0; made.size() < count; ++tried) {
    if (tried == of_a_process) throw std::runtime_error("this machine has no free address");
    const unsigned port = own + turn++ % of_a_process;
    if (is_free(static_cast<std::uint16_t>(port))) made.push_back(flowgraph::message{"127.0.0.1:", port});
  }
  return made;
}

}  // namespace flowgraph_test
