#pragma once
// Plain sockets of this machine, for peers that do not use flowgraph.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace flowgraph_test {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  return at;
}
inline bool bind_to(int socket, std::uint16_t port) {
  const sockaddr_in at = loopback(port);
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
}
inline bool connect_to(int socket, std::uint16_t port) {
  const sockaddr_in at = loopback(port);
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
}
// Listens at any free port, and returns the port; 0 if that fails.
inline std::uint16_t listen_with(int socket, int most_waiting) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  if (!bind_to(socket, 0) || ::listen(socket, most_waiting) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    return 0;
  return ntohs(at.sin_port);
}

// Returns the port of "127.0.0.1:4000".
inline std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

}  // namespace flowgraph_test
