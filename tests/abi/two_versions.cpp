// One program, two versions of the library, each in a shared library with every symbol visible: the linker may mix up nothing.

#include <cstring>

extern "C" {
float loss_after_v0_1(int steps);
float loss_after_v9_9(int steps);
const char* version_tag_v0_1();
const char* version_tag_v9_9();
}

int main() {
  const bool differ = std::strcmp(version_tag_v0_1(), version_tag_v9_9()) != 0;
  const float one = loss_after_v0_1(3);
  const float other = loss_after_v9_9(3);
  return differ && one > 0 && one < 0.6f && one == other ? 0 : 1;
}
