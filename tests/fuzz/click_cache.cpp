#include "../formats/fuzz_targets.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test_folder folder;
  fuzz_targets::click_cache(folder / "clicks", {reinterpret_cast<const char*>(data), size});
  return 0;
}
