#pragma once
// Encrypted connections with TLS 1.2 or newer, in which both ends show a certificate. A program that includes this header links
// flowgraph::tls, which requires OpenSSL.
//
//     const auto secret = fg::tcp::make_encryption({.certificate = "a.pem", .key = "a.key", .authority = "ours.pem"}).value();
//     fg::tcp::server here(all, "worker", 0, ops, {}, {.encrypted = secret});
//     fg::session s{g, fg::tcp::connect("host:4000", {}, {.encrypted = secret})};
//
// Either all processes of a cluster use encryption, or none.

#include <flowgraph/core/error.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <memory>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

// Files in PEM format. They are read once.
struct tls_options {
  std::string certificate = {};  // certificate of this process, followed by intermediate certificates
  std::string key = {};          // private key of the certificate, without a password
  std::string authority = {};    // certificates of the trusted authorities
  bool checks_hosts = true;      // true: the connecting end requires that the certificate names the host it connects to
};

// Creates the value of transport_options::encrypted. Errors: a file cannot be read, or the key does not match the certificate.
result<std::shared_ptr<const encryption>> make_encryption(const tls_options& options);

}  // namespace flowgraph::tcp
