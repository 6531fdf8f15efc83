#pragma once
// Addresses as users write them: "10.0.0.1:4000", "localhost:4000", "[::1]:4000".

#include <flowgraph/core/error.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

struct host_and_port {
  std::string host;
  std::uint16_t port = 0;
};

// Parses an address without checking whether the host exists. If the address is malformed, returns invalid_argument, since a later
// try cannot succeed.
inline result<host_and_port> parse_address(std::string_view address) {
  const auto colon = address.rfind(':');
  host_and_port parsed;
  if (colon != std::string_view::npos) {
    const std::string_view port = address.substr(colon + 1);
    const auto read = std::from_chars(port.data(), port.data() + port.size(), parsed.port);
    if (read.ec == std::errc{} && read.ptr == port.data() + port.size()) {
      parsed.host = address.substr(0, colon);
      if (parsed.host.starts_with('[') && parsed.host.ends_with(']')) parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
      return parsed;
    }
  }
  return detail::invalid_argument({"'", address, "' is not an address: expected host:port"});
}

}  // namespace flowgraph::tcp
