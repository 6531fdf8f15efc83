#pragma once
// A proxy between two ends of a connection that damages the data: it delays, cuts, drops, repeats and flips bytes. A seed
// determines the positions, counted in bytes, for each connection and direction.

#include "proving/loopback.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace flowgraph_test {

class hostile_proxy {
public:
  enum class harm { delay, cut, swallow, repeat, flip, silence };
  static constexpr std::size_t harms = 6;

  explicit hostile_proxy(std::uint64_t seed) : seed_(seed), listens_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    port_ = listen_with(listens_, 64);
    REQUIRE(port_ != 0);
    accepts_ = std::thread([this] { accept_all(); });
  }
  ~hostile_proxy() {
    ::shutdown(listens_, SHUT_RDWR);
    accepts_.join();
    for (const auto& p : pairs_) p->end();
    for (std::thread& t : pumps_) t.join();
    ::close(listens_);
  }
  hostile_proxy(const hostile_proxy&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // Sets the destination of the data: an address of this machine.
  void lead_to(const std::string& address) { leads_to_ = port_of(address); }
  void be_hostile(bool is) { is_hostile_ = is; }
  int done(harm h) const { return done_[static_cast<std::size_t>(h)]; }

private:
  struct pair {
    int ends[2];
    pair(int a, int b) : ends{a, b} {}
    ~pair() {
      for (const int e : ends) ::close(e);
    }
    pair(const pair&) = delete;
    void end() const {
      for (const int e : ends) ::shutdown(e, SHUT_RDWR);
    }
  };

  void accept_all() {
    for (std::uint64_t count = 0;; count += 2) {
      const int came = ::accept4(listens_, nullptr, nullptr, SOCK_CLOEXEC);
      if (came < 0) return;
      const int goes = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const auto both = std::make_shared<pair>(came, goes);
      if (!connect_to(goes, leads_to_)) continue;
      pairs_.push_back(both);
      for (const std::uint64_t way : {0u, 1u})
        pumps_.emplace_back([this, both, way, seed = seed_ * 1000 + count + way] {
          pump(both->ends[way], both->ends[1 - way], seed);
          ::shutdown(both->ends[1 - way], SHUT_WR);
        });
    }
  }

  static bool send_all(int to, const char* data, std::size_t bytes) {
    while (bytes > 0) {
      const auto sent = ::send(to, data, bytes, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      data += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
    return true;
  }

  void pump(int from, int to, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    // The positions are among the first frames, and within large frames.
    const auto further = [&] {
      const std::uint64_t power = random() % 4 == 0 ? random() % 6 : 6 + random() % 9;
      return (std::uint64_t{64} << power) + random() % 64;
    };
    std::uint64_t at = 0, next = further();
    std::vector<char> bytes(1 << 14);
    for (bool is_silent = false;;) {
      const auto came = ::recv(from, bytes.data(), 1 + random() % bytes.size(), 0);
      if (came <= 0) return;
      const auto size = static_cast<std::size_t>(came);
      if (is_silent) continue;
      std::size_t sound = size;  // bytes that are passed on unchanged
      if (next < at + size) {
        sound = next > at ? static_cast<std::size_t>(next - at) : 0;
        next = at + size + further();
      }
      at += size;
      if (!is_hostile_) sound = size;
      if (!send_all(to, bytes.data(), sound)) return;
      if (sound == size) continue;
      char* const rest = bytes.data() + sound;
      const auto h = static_cast<harm>(random() % harms);
      ++done_[static_cast<std::size_t>(h)];
      switch (h) {
        case harm::delay: std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40)); break;
        case harm::cut:
          send_all(to, rest, (size - sound) / 2);
          ::shutdown(from, SHUT_RDWR);
          ::shutdown(to, SHUT_RDWR);
          return;
        case harm::swallow: continue;
        case harm::repeat: send_all(to, rest, size - sound); break;
        case harm::flip: rest[0] = static_cast<char>(rest[0] ^ (1 << random() % 8)); break;
        case harm::silence: is_silent = true; continue;
      }
      if (!send_all(to, rest, size - sound)) return;
    }
  }

  const std::uint64_t seed_;
  int listens_;
  std::uint16_t port_ = 0;
  std::atomic<std::uint16_t> leads_to_{0};
  std::atomic<bool> is_hostile_{false};
  std::array<std::atomic<int>, harms> done_{};
  std::thread accepts_;
  std::vector<std::shared_ptr<pair>> pairs_;  // used only by its thread until that has ended
  std::vector<std::thread> pumps_;
};

}  // namespace flowgraph_test
