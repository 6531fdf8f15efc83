// TLS by OpenSSL. This is the only source that uses OpenSSL. It is a library of its own, so that other programs need no OpenSSL.

#include "secure_stream.hpp"

#include <flowgraph/core/message.hpp>
#include <flowgraph/distributed/tls.hpp>

#include <asio/ip/address.hpp>
#include <asio/ssl/context.hpp>
#include <asio/ssl/error.hpp>
#include <asio/ssl/stream.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>

#include <array>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

namespace {

using namespace std::chrono_literals;
namespace ssl = asio::ssl;

constexpr auto farewell_time = 1s;

bool is_alert(int reason) noexcept { return reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256; }

// Returns whether the alert refuses a certificate.
bool refuses_certificate(int reason) noexcept {
  switch (reason - SSL_AD_REASON_OFFSET) {
    case SSL_AD_HANDSHAKE_FAILURE:
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_ACCESS_DENIED:
    case SSL_AD_CERTIFICATE_REQUIRED: return true;
    default: return false;
  }
}

// Returns whether the peer does not use TLS at all.
bool is_plain(const asio::error_code& why) noexcept {
  if (why.category() != asio::error::get_ssl_category()) return false;
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(why.value()));
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST || reason == SSL_R_HTTPS_PROXY_REQUEST;
}

class tls_stream final : public secure_stream, public std::enable_shared_from_this<tls_stream> {
public:
  tls_stream(io_socket socket, ssl::context& by, const std::string& host)
      : stream_(std::move(socket), by), timer_(stream_.next_layer().get_executor()), connects_(!host.empty()) {}

  // Requires that the peer's certificate names the host.
  bool expect(const std::string& host) {
    asio::error_code not_an_address;
    const auto address = asio::ip::make_address(host, not_an_address);
    if (not_an_address) {
      // This is SSL_set_tlsext_host_name without the cast in its macro.
      SSL_ctrl(stream_.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, std::string(host).data());
      return SSL_set1_host(stream_.native_handle(), host.c_str()) == 1;
    }
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(stream_.native_handle()), address.to_string().c_str()) == 1;
  }

  void begin(done then) override {
    stream_.async_handshake(connects_ ? ssl::stream_base::client : ssl::stream_base::server,
                            [self = shared_from_this(), then = std::move(then)](const asio::error_code& why) mutable {
                              self->lingers_ = static_cast<bool>(why);
                              self->is_plain_ = is_plain(why);
                              then(why, 0);
                            });
  }
  void read_some(std::span<const asio::mutable_buffer> into, done then) override {
    stream_.async_read_some(into, [self = shared_from_this(), then = std::move(then)](
                                      const asio::error_code& why, std::size_t some) mutable { then(why, some); });
  }
  void write_some(std::span<const asio::const_buffer> from, done then) override {
    stream_.async_write_some(from, [self = shared_from_this(), then = std::move(then)](
                                       const asio::error_code& why, std::size_t some) mutable { then(why, some); });
  }
  // In TLS 1.2 two connections may share their secret, unless the secret covers the handshake (extended_master_secret).
  std::string binding() override {
    SSL* const of = stream_.native_handle();
    if (SSL_version(of) < TLS1_3_VERSION && SSL_get_extms_support(of) != 1) return {};
    constexpr std::string_view label = "EXPORTER-Channel-Binding";
    std::array<unsigned char, 32> bytes;
    const unsigned char nothing = 0;
    if (SSL_export_keying_material(of, bytes.data(), bytes.size(), label.data(), label.size(), &nothing, 0, 1) != 1) return {};
    return {bytes.begin(), bytes.end()};
  }
  void end_writing() override {
    asio::error_code ignored;
    stream_.lowest_layer().shutdown(asio::socket_base::shutdown_send, ignored);
  }
  void close() override {
    asio::error_code ignored;
    if (!std::exchange(lingers_, false)) {
      stream_.lowest_layer().close(ignored);
      return;
    }
    // Closing a socket with unread bytes would discard the sent alert. So the rest is read first.
    if (is_plain_ && !connects_) stream_.next_layer().write_some(asio::buffer(plain_alert), ignored);
    end_writing();
    timer_.expires_after(farewell_time);
    timer_.async_wait([self = shared_from_this()](const asio::error_code&) { self->close(); });
    discard();
  }
  error explain(const asio::error_code& why, std::string_view peer) override;

private:
  // The alert "protocol version" of TLS 1.2: OpenSSL sends nothing to peers that do not use TLS.
  static constexpr std::array<unsigned char, 7> plain_alert = {21, 3, 3, 0, 2, 2, 70};

  void discard() {
    stream_.next_layer().async_read_some(asio::buffer(rest_),
                                         [self = shared_from_this()](const asio::error_code& why, std::size_t) {
                                           if (!why) return self->discard();
                                           self->timer_.cancel();
                                         });
  }

  ssl::stream<io_socket> stream_;
  io_timer timer_;
  const bool connects_;
  bool lingers_ = false, is_plain_ = false;
  std::array<char, 512> rest_;
};

error tls_stream::explain(const asio::error_code& why, std::string_view peer) {
  if (why == asio::error::eof || why == ssl::error::stream_truncated)
    return {error_code::unavailable, message{peer, " closed the connection"}};
  if (why.category() != asio::error::get_ssl_category())
    return {error_code::unavailable, message{"the connection to ", peer, " broke: ", why.message()}};
  if (is_plain(why)) return {error_code::failed_precondition, message{peer, " does not speak TLS, and this end does"}};
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(why.value()));
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    const long what = SSL_get_verify_result(stream_.native_handle());
    return {error_code::unauthenticated,
            message{"the certificate of ", peer, " is not accepted: ", X509_verify_cert_error_string(what)}};
  }
  if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE)
    return {error_code::unauthenticated, message{peer, " shows no certificate"}};
  if (is_alert(reason) && refuses_certificate(reason))
    return {error_code::unauthenticated, message{peer, " does not accept the certificate of this end: ", why.message()}};
  return {error_code::unavailable, message{"TLS with ", peer, " failed: ", why.message()}};
}

class tls_encryption final : public encryption {
public:
  explicit tls_encryption(const tls_options& o) : options_(o) {}

  error load() {
    SSL_CTX* const raw = context_.native_handle();
    SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
    // Links are created once and kept, so tickets would only let others recognize a peer that comes again.
    SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(raw, 0);
    SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);  // 32 KB per idle link and per stranger
    SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    asio::error_code why;
    // No user is present to enter a password.
    context_.set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); }, why);
    struct file {
      std::string_view what;
      const std::string& name;
      asio::error_code (*load)(ssl::context&, const std::string&);
    };
    const file files[] = {{"certificate", options_.certificate,
                           [](ssl::context& to, const std::string& f) {
                             asio::error_code wrong;
                             to.use_certificate_chain_file(f, wrong);
                             return wrong;
                           }},
                          {"key", options_.key,
                           [](ssl::context& to, const std::string& f) {
                             asio::error_code wrong;
                             to.use_private_key_file(f, ssl::context::pem, wrong);
                             return wrong;
                           }},
                          {"authority", options_.authority, [](ssl::context& to, const std::string& f) {
                             asio::error_code wrong;
                             to.load_verify_file(f, wrong);
                             return wrong;
                           }}};
    for (const file& f : files) {
      if (f.name.empty()) return {error_code::invalid_argument, message{"TLS needs a file: tls_options::", f.what}};
      if ((why = f.load(context_, f.name)))
        return {error_code::invalid_argument,
                message{"tls_options::", f.what, " cannot be taken from '", f.name, "': ", why.message()}};
    }
    if (SSL_CTX_check_private_key(raw) != 1)
      return {error_code::invalid_argument,
              message{"the key in '", options_.key, "' is not that of the certificate in '", options_.certificate, "'"}};
    return {};
  }

  std::shared_ptr<secure_stream> over(io_socket socket, const std::string& host) const override {
    auto result = std::make_shared<tls_stream>(std::move(socket), context_, host);
    if (!host.empty() && options_.checks_hosts && !result->expect(host)) return nullptr;
    return result;
  }

private:
  tls_options options_;
  mutable ssl::context context_{ssl::context::tls};  // has a reference count, which its streams change
};

}  // namespace

result<std::shared_ptr<const encryption>> make_encryption(const tls_options& options) {
  auto result = std::make_shared<tls_encryption>(options);
  if (error why = result->load()) return why;
  return std::shared_ptr<const encryption>(std::move(result));
}

}  // namespace flowgraph::tcp
