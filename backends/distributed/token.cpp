#include <flowgraph/distributed/token.hpp>
#include <flowgraph/formats/file.hpp>

#include <algorithm>
#include <array>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

constexpr std::size_t most_token_bytes = 4096;

result<std::string> read_token(const std::string& path) {
  auto file = file_reader::open(path);
  if (!file) return file.error();
  std::array<char, most_token_bytes + 2> first;  // a line of that length, and its end
  const auto bytes = file->read(std::as_writable_bytes(std::span(first)));
  if (!bytes) return bytes.error();
  std::string token(first.data(), *bytes);
  token.resize(std::min(token.find('\n'), token.size()));
  token.resize(token.find_last_not_of(" \t\r") + 1);
  if (token.empty()) return detail::invalid_argument({"'", path, "': the first line is blank, expected a token there"});
  if (token.size() > most_token_bytes)
    return detail::invalid_argument(
        {"'", path, "': the first line has more than ", most_token_bytes, " bytes, expected a token there"});
  return token;
}

}  // namespace flowgraph
