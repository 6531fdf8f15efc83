#include "../formats/fuzz_targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz_targets::npz(std::as_bytes(std::span(data, size)));
  return 0;
}
