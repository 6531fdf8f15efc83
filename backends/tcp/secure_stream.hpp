#pragma once
// The interface of an encrypted connection. flowgraph::tcp only knows this interface; flowgraph::tls implements it.

#include "loop.hpp"

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>

#include <asio/buffer.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

// Functions are called, and their callbacks run, on the thread of the socket's loop. Each call gets one answer, also after close().
// One read and one write may be in progress at the same time.
class secure_stream {
public:
  using done = unique_function<void(const asio::error_code&, std::size_t)>;
  virtual ~secure_stream() = default;
  // Runs the TLS handshake, in which both ends prove their identity. Must be called before all other functions.
  virtual void begin(done then) = 0;
  // The buffers and the span of buffers must stay valid until the answer.
  virtual void read_some(std::span<const asio::mutable_buffer> into, done then) = 0;
  virtual void write_some(std::span<const asio::const_buffer> from, done then) = 0;
  // Returns bytes that both ends derive from this connection only (RFC 9266); call it after begin(). Returns an empty text if
  // another connection could have the same bytes.
  virtual std::string binding() = 0;
  // Announces that nothing more will be written.
  virtual void end_writing() = 0;
  // Closes the connection. If begin() has failed, the peer still receives the reason.
  virtual void close() = 0;
  // Returns the error to report for `peer`.
  virtual error explain(const asio::error_code& why, std::string_view peer) = 0;
};

class encryption {
public:
  virtual ~encryption() = default;
  // `host` is the host that this end has connected to; empty at the accepting end.
  virtual std::shared_ptr<secure_stream> over(io_socket socket, const std::string& host) const = 0;
};

}  // namespace flowgraph::tcp
