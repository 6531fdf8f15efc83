#pragma once
// Reads the secret token of a cluster, which all its processes need, from a file.
//
//     const auto token = fg::read_token("/run/token/token").value();
//     fg::session s{g, fg::tcp::connect(address, {.token = token})};
//
// flowgraph-worker --token-file uses the same rules. A program that includes this header links flowgraph::tcp.

#include <flowgraph/core/error.hpp>

#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the first line of a file, without blanks and a carriage return at the end of the line. If the file cannot be read, or if
// its first line is blank or longer than 4096 bytes, returns an error that names the file. So an invalid file never means "no
// token".
result<std::string> read_token(const std::string& path);

}  // namespace flowgraph
