#pragma once
// What the contenders have in common: a server in a process of its own, and a client that asks it, so many requests at a time.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace bench {

struct traffic {
  std::size_t request = 64, reply = 64;  // bytes; a request of as many comes back as it went
  int in_flight = 1;
};

class client {
public:
  virtual ~client() = default;
  // Returns when so many requests have been answered.
  virtual void ask(const traffic& t, int requests) = 0;
};

struct contender {
  std::string name;
  // Serves for ever; tells where once it can be asked.
  std::function<void(const std::function<void(const std::string& address)>& ready)> serve;
  std::function<std::unique_ptr<client>(const std::string& address)> connect;
  int most_in_flight = 1 << 20;
};

contender transport_contender(bool is_guarded, bool busy_polling);
contender asio_contender();
contender socket_contender();

// What is sent before a payload by contenders that have no frames.
struct plain_head {
  std::size_t body = 0, reply = 0;
};

}  // namespace bench
