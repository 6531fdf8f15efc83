#pragma once
// Addresses of this machine at which nobody listens.

#include <flowgraph/core/message.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace flowgraph_test {

// All are held until the last one is known, so that no two are alike.
inline std::vector<std::string> free_addresses(std::size_t count) {
  std::vector<std::string> made;
  std::vector<int> held;
  for (std::size_t i = 0; i < count; ++i) {
    held.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    if (::bind(held.back(), address, size) != 0 || ::getsockname(held.back(), address, &size) != 0)
      throw std::runtime_error("this machine has no free address");
    made.push_back(flowgraph::message{"127.0.0.1:", static_cast<int>(ntohs(at.sin_port))});
  }
  for (const int s : held) ::close(s);
  return made;
}

}  // namespace flowgraph_test
