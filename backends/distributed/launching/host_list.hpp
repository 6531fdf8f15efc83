#pragma once
// Lists of hosts as SLURM writes them: "node[01-03,7],login" is node01, node02, node03, node7 and login; and counts, "2(x3),1".

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// More hosts or tasks than these are a slip of the pen.
constexpr std::size_t most_hosts = 1 << 20;

result<std::vector<std::string>> expand_hosts(std::string_view text);
result<std::vector<std::uint32_t>> expand_counts(std::string_view text);

// A whole number without a sign.
bool read_number(std::string_view text, std::uint32_t& to);

// "host:port" of each: the tasks of one host are counted from `port`. Hosts that have a port keep it.
result<std::vector<std::string>> with_ports(std::span<const std::string> hosts, std::uint32_t port);

}
}
}  // namespace flowgraph::distributed
