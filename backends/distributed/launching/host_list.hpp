#pragma once
// Lists of hosts as SLURM writes them: "node[01-03,7],login" means node01, node02, node03, node7 and login. Lists of counts have
// the form "2(x3),1".

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// A list with more hosts or tasks than this is treated as a mistake.
constexpr std::size_t most_hosts = 1 << 20;

result<std::vector<std::string>> expand_hosts(std::string_view text);
result<std::vector<std::uint32_t>> expand_counts(std::string_view text);

// Reads a whole number without a sign. Returns false if the text is not such a number.
bool read_number(std::string_view text, std::uint32_t& to);

// Returns "host:port" for each task. If a host appears several times, its ports count up from `port`. A host that already has a
// port keeps it.
result<std::vector<std::string>> with_ports(std::span<const std::string> hosts, std::uint32_t port);

}  // namespace flowgraph::distributed
