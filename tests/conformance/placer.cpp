// Compares flowgraph's placement with the devices that TensorFlow's placer chose for generated graphs, or with its errors.
//
//     placer FILE.jsonl      prints a line for each graph that differs, then the number of equal graphs
//
// The placement of a node without a group must be equal. If no device is required, all nodes that share state must be on one
// device. If nodes of a group require different devices, they must be placed. The kinds of errors must be equal; for a node with
// an impossible device in a group, either kind is accepted.

#include "json.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/runtime/placement.hpp>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>

namespace {

namespace fg = flowgraph;
using conformance::json;

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    const auto digit = digits.find(c);
    if (digit == digits.npos) break;
    held = held << 6 | static_cast<unsigned>(digit);
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xff);
  }
  return bytes;
}

std::string kind_of(const fg::error& why) {
  const std::string_view text = why.message();
  if (text.find("is not the name of a device") != text.npos) return "malformed";
  if (text.find("no device ") != text.npos) return "unsatisfiable";
  if (text.find("which the graph does not have") != text.npos) return "unknown node";
  if (text.find("stands on the device of") != text.npos) return "colocation";
  return std::string(text);
}

class placer {
public:
  placer() { fg::add_standard_ops(ops_).value(); }

  // Returns the difference; an empty text if there is none.
  std::string compare(const json& c) const {
    const bool must_fail = std::get<double>(c.find("error")->held) != 0;
    const std::string expected = must_fail ? c.find("kind")->text() : "success";
    const std::string bytes = from_base64(c.find("graph")->text());
    const auto file = fg::read_graph_def(std::as_bytes(std::span(bytes.data(), bytes.size())));
    if (!file) return file.error().what();
    fg::graph g;
    if (const auto made = fg::import_graph(g, *file, ops_, {}); !made) return "import: " + std::string(made.error().what());
    const auto cpus = fg::cpu_devices(3);
    fg::detail::placement placing(cpus, std::get<bool>(c.find("soft")->held));
    placing.extend(g.state());
    std::map<std::string, std::string> found;  // kinds, each with its first error
    for (const fg::node* n : g.state().nodes)
      if (const auto place = placing.place_of(*n); !place) found.emplace(kind_of(place.error()), place.error().what());
    if (!must_fail && found.empty()) return compare_places(c, g, placing);
    if (found.contains(expected)) return {};
    const char* const other = expected == "colocation" ? "unsatisfiable" : expected == "unsatisfiable" ? "colocation" : "";
    if (found.contains(other) && impossible_has_company(g, cpus, std::get<bool>(c.find("soft")->held))) return {};
    return "expected " + expected + ", found " + (found.empty() ? "success" : found.begin()->first + " " + found.begin()->second);
  }

private:
  // Returns whether a node that requires a missing device shares its group, by request, reference or handle. Such a group may be
  // refused for either reason.
  static bool impossible_has_company(const fg::graph& g, const fg::device_list& devices, bool is_soft) {
    const auto is_impossible = [&](const fg::node& n) {
      auto wanted = fg::parse_device_name(n.device);
      if (!wanted) return false;
      if (is_soft) wanted->kind = {}, wanted->index = {};
      for (std::size_t d = 0; d < devices.size(); ++d)
        if (fg::allows(*wanted, devices[d].name())) return false;
      return true;
    };
    const auto& nodes = g.state().nodes;
    for (const fg::node* n : nodes)
      for (const fg::node* other : nodes)
        if (n != other && (is_impossible(*n) || is_impossible(*other)) && stands_with(g, *n, *other)) return true;
    return false;
  }
  static bool stands_with(const fg::graph& g, const fg::node& n, const fg::node& other) {
    for (const std::string_view name : n.colocated_with)
      if (g.find(name) == &other) return true;
    for (std::size_t k = 0; k < n.inputs.size(); ++k)
      if (n.inputs[k].from == &other && shares_state(n, k)) return true;
    return false;
  }
  static bool shares_state(const fg::node& n, std::size_t k) {
    const fg::output_info& o = n.inputs[k].from->outputs[n.inputs[k].port];
    return o.type == fg::dtype::resource || (o.is_reference && n.input_argument(k).is_reference);
  }

  static std::string compare_places(const json& c, const fg::graph& g, const fg::detail::placement& placing) {
    const auto& places = c.find("placed")->members();
    for (const auto& [name, value] : places) {
      const std::string& reason = value.items()[1].text();
      const auto wanted = static_cast<std::uint32_t>(std::get<double>(value.items()[0].held));
      const fg::node* n = g.find(name);
      if (!n) return "the graph has no node " + name;
      const auto at = placing.place_of(*n).value();
      if (reason == "forced" && at != wanted)
        return name + " must stand on " + std::to_string(wanted) + ", stands on " + std::to_string(at);
      if (reason == "contested") continue;
      for (const std::string_view with : n->colocated_with)
        if (const fg::node* other = g.find(with); other && placing.place_of(*other).value() != at)
          return name + " is not with " + std::string(with);
      for (std::size_t k = 0; k < n->inputs.size(); ++k)
        if (shares_state(*n, k) && placing.place_of(*n->inputs[k].from).value() != at)
          return name + " is not with the maker of its state";
    }
    return {};
  }

  fg::registry ops_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::fputs("usage: placer FILE.jsonl\n", stderr), 2;
  std::ifstream in(words[1]);
  const placer ours;
  std::size_t graphs = 0, equal = 0;
  for (std::string line; std::getline(in, line); ++graphs) {
    const json c = conformance::read_json(line);
    const std::string difference = ours.compare(c);
    equal += difference.empty();
    if (!difference.empty()) std::printf("%.0f: %s\n", std::get<double>(c.find("seed")->held), difference.c_str());
  }
  std::printf("placer: %zu graphs, %zu equal\n", graphs, equal);
  return graphs > 0 && equal == graphs ? 0 : 1;
}
