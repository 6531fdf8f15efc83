#pragma once
// Addresses on this machine that nobody listens at: all processes of a cluster know its addresses before the first of them is there.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// The system chooses. Who is quick may take a port before the one that it was chosen for.
inline std::vector<std::string> free_addresses(std::uint32_t count) {
  std::vector<int> held;  // until all are chosen, so that no two are the same
  std::vector<std::string> made;
  for (std::uint32_t i = 0; i < count; ++i) {
    held.push_back(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (bind(held.back(), reinterpret_cast<sockaddr*>(&at), size) != 0 ||
        getsockname(held.back(), reinterpret_cast<sockaddr*>(&at), &size) != 0) {
      std::perror("no free port");
      std::exit(1);
    }
    made.push_back("127.0.0.1:" + std::to_string(ntohs(at.sin_port)));
  }
  for (const int socket : held) close(socket);
  return made;
}
