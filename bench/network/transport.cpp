// Tensors over the transport: each request is a frame, whose tensor lands in memory of its own.

#include "contenders.hpp"

#include <distributed/guarded_transport.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <thread>

namespace bench {

namespace {

namespace fg = flowgraph;

// `incarnation`: of this end, another one than the peer's.
std::shared_ptr<fg::transport> make(bool is_guarded, bool busy_polling, std::uint64_t incarnation) {
  auto t = fg::tcp::make_transport({.io_threads = 1, .compute_threads = 1, .busy_polling = busy_polling});
  if (is_guarded) t = fg::distributed::guarded(t, {.self = {"bench", incarnation}, .token = "a token"});
  return t;
}

fg::any_tensor bytes_tensor(std::size_t bytes) { return fg::tensor<std::uint8_t>({static_cast<std::int64_t>(bytes)}).erased(); }

// Answers with the request itself, or with a tensor of as many bytes as its number says.
struct answering_user final : fg::link_user {
  std::shared_ptr<fg::link> link;
  std::map<std::uint64_t, fg::any_tensor> made;
  void receive(fg::frame f) override {
    if (f.number != 0) {
      fg::any_tensor& reply = made[f.number];
      if (!reply.has_value()) reply = bytes_tensor(f.number);
      f.tensors[0] = reply;
    }
    f.kind = fg::frame_kind::value;
    link->send(std::move(f));
  }
  void lost(const fg::error&) override { link.reset(); }
};

struct asking_user final : fg::link_user {
  explicit asking_user(fg::transport& t) : on(t) {}
  fg::transport& on;
  fg::link* link = nullptr;
  fg::any_tensor request;
  std::uint64_t reply = 0;
  std::atomic<bool> is_open{false};
  int left_to_send = 0;
  std::atomic<int> left{0};

  void open(const fg::greeting&) override {
    is_open = true;
    on.wake();
  }
  void send() {
    fg::frame f;
    f.kind = fg::frame_kind::value;
    f.number = reply;
    f.tensors.push_back(request);
    link->send(std::move(f));
  }
  void receive(fg::frame) override {
    if (left_to_send > 0) {
      --left_to_send;
      send();
    }
    if (left.fetch_sub(1) == 1) on.wake();
  }
  void lost(const fg::error&) override {}
};

class transport_client final : public client {
public:
  transport_client(std::shared_ptr<fg::transport> t, const std::string& address)
      : on_(std::move(t)), user_(std::make_shared<asking_user>(*on_)), link_(on_->connect(address, user_)) {
    user_->link = link_.get();
    on_->wait([&] { return user_->is_open.load(); }, std::chrono::nanoseconds::max());
  }
  void ask(const traffic& t, int requests) override {
    if (user_->request.bytes() != t.request) user_->request = bytes_tensor(t.request);
    user_->reply = t.reply == t.request ? 0 : t.reply;
    const int first = std::min(t.in_flight, requests);
    user_->left = requests;
    user_->left_to_send = requests - first;
    for (int i = 0; i < first; ++i) user_->send();
    on_->wait([&] { return user_->left == 0; }, std::chrono::nanoseconds::max());
  }

private:
  std::shared_ptr<fg::transport> on_;
  std::shared_ptr<asking_user> user_;
  std::shared_ptr<fg::link> link_;
};

}  // namespace

contender transport_contender(bool is_guarded, bool busy_polling) {
  contender c;
  c.name = is_guarded ? "flowgraph/guarded" : busy_polling ? "flowgraph/polling" : "flowgraph/transport";
  c.serve = [=](const auto& ready) {
    const auto t = make(is_guarded, busy_polling, 1);
    const auto at = t->listen("127.0.0.1:0", [](const std::shared_ptr<fg::link>& link) {
      auto user = std::make_shared<answering_user>();
      user->link = link;
      return user;
    });
    ready(at.value());
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  };
  c.connect = [=](const std::string& address) {
    return std::make_unique<transport_client>(make(is_guarded, busy_polling, 2), address);
  };
  return c;
}

}  // namespace bench
