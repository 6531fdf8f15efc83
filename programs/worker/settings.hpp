#pragma once
// The settings of `flowgraph-worker` from its command line.

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

// Throws command::wrong_usage, or fg::error if a file cannot be read.
settings read_settings(std::span<const std::string> words);

// Returns the text of `--help`.
std::string help();

}  // namespace worker
