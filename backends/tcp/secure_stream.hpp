#pragma once
// What a link needs of a connection that is encrypted. How it is done flowgraph::tcp does not know: flowgraph::tls does.

#include "loop.hpp"

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>

#include <asio/buffer.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

// On the thread of the socket's loop, also what it answers: once a call, also after close(). Reading and writing may go on at once, each once.
class secure_stream {
public:
  using done = unique_function<void(const asio::error_code&, std::size_t)>;
  virtual ~secure_stream() = default;
  // Both ends prove themselves; before anything else.
  virtual void begin(done then) = 0;
  // The buffers stand until it is answered, and their list too.
  virtual void read_some(std::span<const asio::mutable_buffer> into, done then) = 0;
  virtual void write_some(std::span<const asio::const_buffer> from, done then) = 0;
  // What both ends derive from this connection and no other has (RFC 9266); after begin(). Empty where it could be that of another one.
  virtual std::string binding() = 0;
  // Nothing more will be written.
  virtual void end_writing() = 0;
  // Where begin() has failed, the peer is still told why.
  virtual void close() = 0;
  // What went wrong with `peer`.
  virtual error explain(const asio::error_code& why, std::string_view peer) = 0;
};

class encryption {
public:
  virtual ~encryption() = default;
  // `host`: whom this end has connected to; empty at the end that accepts.
  virtual std::shared_ptr<secure_stream> over(io_socket socket, const std::string& host) const = 0;
};

}
}
}  // namespace flowgraph::tcp
