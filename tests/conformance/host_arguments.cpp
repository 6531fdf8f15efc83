// Compares the host arguments of the standard ops with those that TensorFlow registers.
//
//     host_arguments DIFFERENCES REGISTRY SCOPE   fails unless the differences are those in DIFFERENCES, with lines of the form
//                                                 op: argument: the side that has it | reason

#include "scope.hpp"

#include <flowgraph/op/registry.hpp>
#include <flowgraph/ops/standard.hpp>

#include <cstdio>
#include <span>
#include <sstream>
#include <stdexcept>

namespace {

namespace fg = flowgraph;
using conformance::declared_argument;

// In TensorFlow too, strings, resources and variants are on the host, for any kernel. It declares some of them in addition.
bool is_on_host(const declared_argument& a) { return a.is_on_host || !fg::is_plain(conformance::element_type(a.type)); }

class comparison {
public:
  explicit comparison(std::map<std::string, std::string> known) : known_(std::move(known)) {}

  void compare(const std::string& op, std::span<const declared_argument> theirs, std::span<const fg::argument> ours) {
    if (theirs.size() != ours.size()) throw std::runtime_error(op + ": the signatures differ");
    for (std::size_t i = 0; i < ours.size(); ++i) {
      compared_ += 1;
      agreed_ += is_on_host(theirs[i]) && ours[i].is_on_host;
      if (is_on_host(theirs[i]) == ours[i].is_on_host) continue;
      const std::string found = op + ": " + theirs[i].name + ": " + (ours[i].is_on_host ? "here" : "TensorFlow");
      if (known_.erase(found) > 0) listed_ += 1;
      else fails("not in the list: " + found);
    }
  }
  bool ends_well() {
    for (const auto& [difference, why] : known_) fails("in the list, and no difference: " + difference);
    std::printf("%zu arguments, %zu on the host here and there, %zu differences with a reason, %zu faults\n", compared_, agreed_,
                listed_, failed_);
    return compared_ > 0 && failed_ == 0;
  }

private:
  void fails(const std::string& what) {
    failed_ += 1;
    std::printf("%s\n", what.c_str());
  }

  std::map<std::string, std::string> known_;
  std::size_t compared_ = 0, agreed_ = 0, listed_ = 0, failed_ = 0;
};

std::map<std::string, std::string> read_differences(const std::string& path) {
  std::map<std::string, std::string> made;
  std::istringstream lines(conformance::read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto end = line.find(" | ");
    if (end == line.npos || end + 3 == line.size()) throw std::runtime_error("'" + line + "': no reason is given");
    if (!made.emplace(line.substr(0, end), line.substr(end + 3)).second) throw std::runtime_error("'" + line + "' stands twice");
  }
  return made;
}

bool report(const std::string& differences, const conformance::scope& scope) {
  fg::registry ours;
  fg::add_standard_ops(ours).value();
  comparison all(read_differences(differences));
  for (const std::string_view name : ours.names()) {
    const auto theirs = scope.ops().find(std::string(name));
    if (theirs == scope.ops().end()) continue;  // an op that only flowgraph has
    const fg::op_table& table = *ours.tables(name).front();
    all.compare(theirs->first, theirs->second.inputs, table.inputs());
    all.compare(theirs->first, theirs->second.outputs, table.outputs());
  }
  return all.ends_well();
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count != 4) throw std::runtime_error("wants the differences, the registry and the scope");
    return report(words[1], conformance::scope(words[2], words[3])) ? 0 : 1;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "host_arguments: %s\n", why.what());
    return 2;
  }
}
