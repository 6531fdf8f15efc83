#pragma once
// Connections that are encrypted, by TLS 1.2 or newer, between ends that both show a certificate. A program that includes this links
// flowgraph::tls, which brings OpenSSL.
//
//     const auto secret = fg::tcp::make_encryption({.certificate = "a.pem", .key = "a.key", .authority = "ours.pem"}).value();
//     fg::tcp::server here(all, "worker", 0, ops, {}, {.encrypted = secret});
//     fg::session s{g, fg::tcp::connect("host:4000", {}, {.encrypted = secret})};
//
// All processes of a cluster have one, or none has.

#include <flowgraph/core/error.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <memory>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

// Files in PEM. What they hold is read once.
struct tls_options {
  std::string certificate = {};  // of this process, then of those between it and the authority
  std::string key = {};          // of the certificate, without a password
  std::string authority = {};    // certificates of those whose word is taken
  bool checks_hosts = true;      // who connects wants the certificate to name the host that it connects to
};

// For transport_options::encrypted. Errors: a file cannot be read, or the key is not the certificate's.
result<std::shared_ptr<const encryption>> make_encryption(const tls_options& options);

}
}
}  // namespace flowgraph::tcp
