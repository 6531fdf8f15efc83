#include "../interop/graph_runs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz_targets::graph_def(std::as_bytes(std::span(data, size)));
  fuzz_targets::graph_def_runs(std::as_bytes(std::span(data, size)));
  return 0;
}
