// Full entries of the reference: encryption, which needs OpenSSL.

// tcp::make_encryption
// options: the paths of this process's certificate and key, and of the authority's certificate
// Returns the encryption settings for tcp::transport_options::encrypted, or the error.
const shown tcp_make_encryption("tcp::make_encryption", [] {
  const auto made = fg::tcp::make_encryption({.certificate = "a.pem", .key = "a.key", .authority = "ours.pem"});
  if (made) std::cout << "the connections are encrypted\n";
  if (!made) std::cout << fg::name_of(made.error().code()) << "\n";
  // prints: invalid argument

  std::cout << made.error().message() << "\n";
  // error: tls_options::certificate cannot be taken from 'a.pem': No such file or directory
});
