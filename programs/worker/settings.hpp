#pragma once
// What the command line of `flowgraph-worker` says.

#include <flowgraph/distributed/launch.hpp>

#include <span>
#include <string>

namespace worker {

namespace fg = flowgraph;

struct settings {
  std::string cluster, job, roles;
  bool is_from_environment = false;
  std::uint32_t task = 0;
  fg::task_options options;
  fg::tcp::transport_options network;
};

// Raises command::wrong_usage, and a fg::error of a file.
settings read_settings(std::span<const std::string> words);

// What `--help` prints.
std::string help();

}  // namespace worker
