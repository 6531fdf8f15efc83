// One program, two versions of the library: ours, compiled and hidden in a shared library, and another one, header-only, with every
// symbol visible.

#include <cmath>
#include <cstring>

extern "C" {
float loss_after_hidden(int steps);
float loss_after_v9_9(int steps);
const char* version_tag_hidden();
const char* version_tag_v9_9();
}

int main() {
  const bool differ = std::strcmp(version_tag_hidden(), version_tag_v9_9()) != 0;
  const float one = loss_after_hidden(3);
  const float other = loss_after_v9_9(3);
  // Kernels for another instruction set round otherwise.
  return differ && one > 0 && one < 0.6f && std::abs(one - other) < 1e-5f ? 0 : 1;
}
