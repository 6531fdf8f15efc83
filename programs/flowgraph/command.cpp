#include "command.hpp"

namespace command {

std::string help_of(const verb& v) {
  std::vector<option> all(v.options.begin(), v.options.end());
  all.push_back({"--help", "", "this text"});
  return "flowgraph " + std::string(v.name) + " " + std::string(v.operands) + " [options]\n\n" + std::string(v.about) +
         "\nOptions:\n" + help_of(all);
}

}  // namespace command
