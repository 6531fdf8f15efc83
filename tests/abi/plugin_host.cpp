// Loads a plug-in again and again. It is unmapped each time, and takes no memory. Knows nothing of flowgraph.

#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <string>

static bool is_mapped(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(path) != std::string::npos) return true;
  return false;
}

static long resident_kilobytes() {
  std::ifstream statm("/proc/self/statm");
  long total = 0, resident = 0;
  statm >> total >> resident;
  return resident * 4;
}

int main(int, char** arguments) {
  const std::string path = arguments[1];
  long begin = 0;
  for (int i = 0; i < 300; ++i) {
    void* const plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!plugin) return std::puts(dlerror()), 1;
    const auto make = reinterpret_cast<void* (*)()>(dlsym(plugin, "make_layer"));
    const auto destroy = reinterpret_cast<void (*)(void*)>(dlsym(plugin, "destroy_layer"));
    for (int k = 0; k < 3; ++k) destroy(make());
    dlclose(plugin);
    if (is_mapped(path)) return std::puts("the plug-in is still mapped after dlclose"), 1;
    if (i == 99) begin = resident_kilobytes();
  }
  const long grown = resident_kilobytes() - begin;
  std::printf("%ld KB more after 200 more times\n", grown);
  return grown < 512 ? 0 : 1;
}
