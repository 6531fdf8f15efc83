// The same by Asio alone: reads by large buffers, writes of all that one turn of the loop has made, large payloads from where they lie and
// to one place that is used again.

#include "contenders.hpp"

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <cstring>
#include <vector>

namespace bench {

namespace {

using asio::ip::tcp;

constexpr std::size_t small_bytes = 16384;

class plain_link {
public:
  explicit plain_link(tcp::socket s) : socket_(std::move(s)), in_(1 << 16) { socket_.set_option(tcp::no_delay(true)); }

  std::function<void(const plain_head&, const char*)> on_message;

  void send(const plain_head& head, const char* body) {
    append(&head, sizeof head);
    if (head.body <= small_bytes) append(body, head.body);
    else large_.push_back({out_.size(), asio::const_buffer(body, head.body)});
    if (is_posted_) return;
    is_posted_ = true;
    asio::post(socket_.get_executor(), [this] { flush(); });
  }

  void read() {
    socket_.async_read_some(asio::mutable_buffer(in_.data() + filled_, in_.size() - filled_),
                            [this](const asio::error_code& why, std::size_t bytes) {
                              if (why) return;
                              filled_ += bytes;
                              parse();
                            });
  }

private:
  struct large_piece {
    std::size_t at;
    asio::const_buffer bytes;
  };

  void append(const void* data, std::size_t bytes) {
    const char* from = static_cast<const char*>(data);
    out_.insert(out_.end(), from, from + bytes);
  }

  void parse() {
    std::size_t at = 0;
    while (filled_ - at >= sizeof(plain_head)) {
      plain_head head;
      std::memcpy(&head, in_.data() + at, sizeof head);
      const std::size_t there = filled_ - at - sizeof head;
      const char* body = in_.data() + at + sizeof head;
      if (head.body > in_.size() - sizeof head) return read_large(head, body, there);
      if (there < head.body) break;
      on_message(head, body);
      at += sizeof head + head.body;
    }
    std::memmove(in_.data(), in_.data() + at, filled_ - at);
    filled_ -= at;
    read();
  }

  void read_large(const plain_head& head, const char* begin, std::size_t there) {
    if (place_.size() < head.body) place_.resize(head.body);
    std::memcpy(place_.data(), begin, there);
    filled_ = 0;
    asio::async_read(socket_, asio::mutable_buffer(place_.data() + there, head.body - there),
                     [this, head](const asio::error_code& why, std::size_t) {
                       if (why) return;
                       on_message(head, place_.data());
                       read();
                     });
  }

  void flush() {
    is_posted_ = false;
    if (is_writing_ || out_.empty()) return;
    is_writing_ = is_posted_ = true;
    std::swap(out_, out_now_);
    std::swap(large_, large_now_);
    out_.clear();
    large_.clear();
    std::vector<asio::const_buffer> pieces;
    std::size_t at = 0;
    for (const large_piece& l : large_now_) {
      pieces.emplace_back(out_now_.data() + at, l.at - at);
      pieces.push_back(l.bytes);
      at = l.at;
    }
    if (at < out_now_.size()) pieces.emplace_back(out_now_.data() + at, out_now_.size() - at);
    asio::async_write(socket_, pieces, [this](const asio::error_code& why, std::size_t) {
      is_writing_ = is_posted_ = false;
      if (!why) flush();
    });
  }

  tcp::socket socket_;
  std::vector<char> in_, place_, out_, out_now_;
  std::size_t filled_ = 0;
  std::vector<large_piece> large_, large_now_;
  bool is_posted_ = false, is_writing_ = false;
};

class asio_client final : public client {
public:
  explicit asio_client(const std::string& address) : link_(connected(io_, address)) {
    link_.on_message = [this](const plain_head&, const char*) {
      if (--left_ == 0) io_.stop();
      if (left_to_send_ > 0) {
        --left_to_send_;
        send();
      }
    };
    link_.read();
  }
  void ask(const traffic& t, int requests) override {
    traffic_ = t;
    left_ = requests;
    const int first = std::min(t.in_flight, requests);
    left_to_send_ = requests - first;
    for (int i = 0; i < first; ++i) send();
    io_.restart();
    io_.run();
  }

private:
  static tcp::socket connected(asio::io_context& io, const std::string& address) {
    tcp::socket s(io);
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    s.connect({asio::ip::address_v4::loopback(), port});
    return s;
  }
  void send() { link_.send({traffic_.request, traffic_.reply}, body_.data()); }

  asio::io_context io_{1};
  plain_link link_;
  traffic traffic_;
  std::vector<char> body_ = std::vector<char>(small_bytes, 1);
  int left_ = 0, left_to_send_ = 0;
};

}  // namespace

contender asio_contender() {
  contender c;
  c.name = "asio/gathered";
  c.serve = [](const auto& ready) {
    asio::io_context io(1);
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    ready("127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
    plain_link link(acceptor.accept());
    const std::vector<char> tensor(64u << 20, 1);
    link.on_message = [&](const plain_head& h, const char* body) {
      link.send({h.reply, 0}, h.reply == h.body ? body : tensor.data());
    };
    link.read();
    io.run();
  };
  c.connect = [](const std::string& address) { return std::make_unique<asio_client>(address); };
  return c;
}

}  // namespace bench
