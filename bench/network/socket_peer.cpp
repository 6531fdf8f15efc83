// The same by system calls alone: one request at a time, threads that sleep in send and recv.

#include "contenders.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

namespace bench {

namespace {

void put(int socket, const void* data, std::size_t bytes, int flags = 0) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL | flags);
    if (sent <= 0) ::_exit(2);
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}
bool get(int socket, void* data, std::size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t came = ::recv(socket, at, bytes, 0);
    if (came <= 0) return false;
    at += came;
    bytes -= static_cast<std::size_t>(came);
  }
  return true;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  return at;
}
void send_at_once(int socket) {
  const int one = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

class socket_client final : public client {
public:
  explicit socket_client(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in to = loopback(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) ::_exit(2);
    send_at_once(socket_);
  }
  ~socket_client() override { ::close(socket_); }
  socket_client(const socket_client&) = delete;
  socket_client& operator=(const socket_client&) = delete;
  void ask(const traffic& t, int requests) override {
    if (place_.size() < t.reply) place_.resize(t.reply);
    for (int i = 0; i < requests; ++i) {
      const plain_head head{t.request, t.reply};
      put(socket_, &head, sizeof head, MSG_MORE);
      put(socket_, body_.data(), t.request);
      plain_head answer;
      if (!get(socket_, &answer, sizeof answer) || !get(socket_, place_.data(), answer.body)) ::_exit(2);
    }
  }

private:
  int socket_;
  std::vector<char> body_ = std::vector<char>(1 << 14, 1), place_;
};

}  // namespace

contender socket_contender() {
  contender c;
  c.name = "sockets/plain";
  c.most_in_flight = 1;
  c.serve = [](const auto& ready) {
    const int listens = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at = loopback(0);
    socklen_t length = sizeof at;
    if (::bind(listens, reinterpret_cast<const sockaddr*>(&at), length) != 0 || ::listen(listens, 1) != 0) ::_exit(2);
    ::getsockname(listens, reinterpret_cast<sockaddr*>(&at), &length);
    ready("127.0.0.1:" + std::to_string(ntohs(at.sin_port)));
    const int socket = ::accept(listens, nullptr, nullptr);
    send_at_once(socket);
    std::vector<char> body(1 << 14), tensor(64u << 20, 1);
    for (plain_head head; get(socket, &head, sizeof head) && get(socket, body.data(), head.body);) {
      const plain_head answer{head.reply, 0};
      put(socket, &answer, sizeof answer, MSG_MORE);
      put(socket, head.reply == head.body ? body.data() : tensor.data(), head.reply);
    }
  };
  c.connect = [](const std::string& address) { return std::make_unique<socket_client>(address); };
  return c;
}

}  // namespace bench
