#pragma once
// The secret that all processes of a cluster know, from a file.
//
//     const auto token = fg::read_token("/run/token/token").value();
//     fg::session s{g, fg::tcp::connect(address, {.token = token})};
//
// flowgraph-worker --token-file goes by the same rule. A program that includes this links flowgraph::tcp.

#include <flowgraph/core/error.hpp>

#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Reads the token from the first line of a file, without the blanks and the carriage return at its end. Errors name the file: it cannot be
// read, its first line is blank, or that line is longer than 4096 bytes. So a file never means "no token".
result<std::string> read_token(const std::string& path);

}
}  // namespace flowgraph
