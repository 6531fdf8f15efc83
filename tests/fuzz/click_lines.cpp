#include "../formats/fuzz_targets.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz_targets::click_lines({reinterpret_cast<const char*>(data), size});
  return 0;
}
