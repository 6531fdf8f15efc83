// Compares flowgraph's partitions with the nodes that TensorFlow ran on each device, and with its transfers, for the same graphs
// and devices.
//
//     partitions FILE.jsonl FILE.cases...      prints a line for each run that differs, then the number of equal runs
//
// Compared are, for each run: the nodes, each on its device; the transfers, one per receiving device, both of values and of
// control edges; the loops that devices follow if their nodes are on several devices; and the answers. Not compared are
// flowgraph's additions: control edges that delay a read of a variable, and constants that TensorFlow copied.

#include "cases.hpp"
#include "json.hpp"
#include "replay.hpp"
#include "scope.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/runtime/parts/partitions.hpp>

#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace {

namespace fg = flowgraph;
using conformance::json;
using fg::detail::exchange_edge;

unsigned number(const json& j) { return static_cast<unsigned>(std::get<double>(j.held)); }
std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }
std::string text(const auto&... parts) { return fg::message{parts...}.string(); }

// One run of a case with the devices that TensorFlow chose.
class compared_run {
public:
  // `devices` contains all nodes that any run of the case needs.
  compared_run(const json& expected, const std::map<std::string, unsigned>& devices) : expected_(expected), devices_(devices) {
    for (const json& name : expected.find("copied")->items()) copied_.insert(name.text());
  }

  std::string compare(const conformance::recorded_case& c, const fg::registry& ops) {
    const std::size_t last = number(*expected_.find("step"));
    for (std::size_t i = 0; i <= last; ++i)
      if (std::string why = extend(c.steps[i], ops); !why.empty()) return why;
    if (std::string why = make_plan(c.steps[last]); !why.empty()) return why;
    if (!plan_->parts) return compare_nodes() + (expected_.find("transfers")->items().empty() ? "" : "nothing is cut");
    std::string why = compare_nodes();
    if (why.empty()) why = compare_transfers();
    return why.empty() ? compare_loops() : why;
  }

private:
  using transfer = std::tuple<std::string, std::string, unsigned, unsigned, std::string, std::string>;

  std::string extend(const conformance::step& s, const fg::registry& ops) {
    auto file = fg::read_graph_def(bytes_of(s.extend));
    if (!file) return file.error().what();
    erase_unknown(*file, ops);
    for (fg::node_def& n : file->nodes) {
      std::erase_if(n.attributes, [](const fg::attribute_def& a) { return a.name == "_class"; });  // the devices are given
      if (const auto at = devices_.find(n.name); at != devices_.end()) n.device = text("/device:CPU:", at->second);
    }
    const auto made = fg::import_graph(g_, *file, ops, {.extend = true});
    return made ? std::string() : std::string(made.error().what());
  }

  // Removes nodes with unknown ops, and their readers: no run of the case needs them.
  void erase_unknown(fg::graph_def& file, const fg::registry& ops) {
    for (bool erased = true; erased;) {
      erased = std::erase_if(file.nodes, [&](const fg::node_def& n) {
                 bool gone = ops.tables(n.op).empty();
                 for (const std::string& in : n.inputs) {
                   const std::string from = in.substr(in.starts_with('^'), in.find(':') - in.starts_with('^'));
                   gone = gone || gone_.contains(from.substr(0, from.find(':')));
                 }
                 if (gone) gone_.insert(n.name);
                 return gone;
               }) > 0;
    }
  }

  std::string make_plan(const conformance::step& s) {
    std::vector<fg::any_out> feeds, fetches;
    std::vector<fg::target> targets;
    for (const auto& v : s.feeds) feeds.push_back(g_.output(v.tensor).value());
    for (const auto& v : s.fetches) fetches.push_back(g_.output(v.tensor).value());
    for (const std::string& name : s.targets) targets.push_back(g_.find(name));
    const auto run = [](const fg::detail::draft_node&, std::vector<fg::any_tensor>&) {
      return fg::error(fg::error_code::internal, "");
    };
    const fg::detail::node_runner runner(run);
    const fg::pass_options passes = fg::pass_options::none();
    auto made = fg::detail::make_plan(g_, {.feeds = feeds,
                                           .fetches = fetches,
                                           .targets = targets,
                                           .devices = &placing_,
                                           .passes = &passes,
                                           .run = &runner,
                                           .divide = &fg::detail::divide_by_device});
    if (!made) return made.error().what();
    plan_ = *made;
    return {};
  }
  const fg::detail::partitions& parts() const { return static_cast<const fg::detail::partitions&>(*plan_->parts); }
  // Returns null for a record that the plan has added.
  const fg::node* of_graph(const fg::detail::plan_record& r) const { return g_.find(r.site->name); }

  std::string compare_nodes() {
    for (const fg::detail::plan_record& r : plan_->records) {
      if (r.kind != fg::detail::record_kind::op || !of_graph(r) || copied_.contains(std::string(r.site->name))) continue;
      std::size_t place = 0;
      while (place < cpus_.size() && placing_.at(place) != r.on) ++place;
      ran_[std::string(r.site->name)] = static_cast<unsigned>(place);
    }
    for (const auto& [name, where] : expected_.find("placed")->members()) {
      const auto at = ran_.find(name);
      if (at == ran_.end()) return name + " does not run";
      if (at->second != number(where)) return text(name, " must stand on ", number(where), ", stands on ", at->second);
    }
    for (const auto& [name, place] : ran_)
      if (!expected_.find("placed")->find(name)) return name + " runs and need not";
    return {};
  }

  std::string compare_transfers() const {
    std::set<transfer> wanted, found;
    for (const json& t : expected_.find("transfers")->items()) {
      const auto& f = t.items();
      const std::string port = f[1].text().empty() ? std::to_string(number(f[1])) : f[1].text();
      wanted.emplace(f[0].text(), port, number(f[2]), number(f[3]), f[4].text(), f[5].text());
    }
    for (const auto* list : {&parts().edges, &parts().rides})
      for (const exchange_edge& e : *list)
        if (const auto made = named(e)) found.insert(*made);
    for (const transfer& t : wanted)
      if (!found.contains(t)) return "is not sent: " + told(t);
    for (const transfer& t : found)
      if (!wanted.contains(t) && !serves_copies_alone(t)) return "is sent and need not be: " + told(t);
    return {};
  }
  std::optional<transfer> named(const exchange_edge& e) const {
    if (e.kind == exchange_edge::form::condition || e.kind == exchange_edge::form::order || e.serves_fetch_alone) return {};
    if (copied_.contains(std::string(e.source->name))) return {};
    const bool is_control = e.port == fg::detail::no_index;
    std::string type = is_control ? "" : std::string(name_of(e.source->outputs[e.port].type));
    return transfer(e.source->name, is_control ? "^" : std::to_string(e.port), e.from, e.to, std::move(type),
                    plan_->frames[e.frame].name);
  }
  // Returns whether only copies use the transfer: a constant that TensorFlow copied is on our first device.
  bool serves_copies_alone(const transfer& t) const {
    for (const fg::detail::plan_record& r : plan_->records) {
      const fg::node* const n = of_graph(r);
      if (r.kind != fg::detail::record_kind::op || !n) continue;
      const auto at = ran_.find(std::string(n->name));
      if (at == ran_.end() || at->second != std::get<3>(t)) continue;
      for (const fg::edge& e : n->inputs)
        if (e.from->name == std::get<0>(t) && std::get<1>(t) != "^") return false;
      for (const fg::node* c : n->control_inputs)
        if (c->name == std::get<0>(t) && std::get<1>(t) == "^") return false;
    }
    return true;
  }
  static std::string told(const transfer& t) {
    return text(std::get<0>(t), ':', std::get<1>(t), " from ", std::get<2>(t), " to ", std::get<3>(t), ' ', std::get<4>(t),
                " in '", std::get<5>(t), '\'');
  }

  // Compares the devices that follow loops. A device that follows a loop without a Merge or the condition must also follow it in
  // TensorFlow.
  std::string compare_loops() const {
    std::set<std::pair<std::string, unsigned>> theirs, ours, have_merge, stand;
    std::map<std::string, std::set<unsigned>> places;
    for (const json& l : expected_.find("loops")->items()) theirs.emplace(l.items()[0].text(), number(l.items()[1]));
    for (const auto& [frame, place] : parts().loops) ours.emplace(plan_->frames[frame].name, place);
    for (const fg::detail::plan_record& r : plan_->records) {
      if (r.kind != fg::detail::record_kind::op || r.output_frame == 0) continue;
      const auto at = ran_.find(std::string(r.site->name));
      if (at == ran_.end()) continue;
      const std::string& frame = plan_->frames[r.output_frame].name;
      places[frame].insert(at->second);
      if (r.control == fg::control_flow::merge) have_merge.emplace(frame, at->second);
    }
    for (const auto& [frame, all] : places)
      for (const unsigned place : all) {
        const json* condition = expected_.find("conditions")->find(frame);
        if (all.size() == 1 || have_merge.contains({frame, place}) || (condition && number(*condition) == place)) continue;
        if (!ours.contains({frame, place})) return text("device ", place, " does not follow '", frame, '\'');
        if (!theirs.contains({frame, place})) return text("TensorFlow's device ", place, " does not follow '", frame, '\'');
      }
    return {};
  }

  const json& expected_;
  const std::map<std::string, unsigned>& devices_;
  std::set<std::string> copied_, gone_;
  fg::graph g_;
  fg::device_list cpus_ = fg::cpu_devices(3);
  fg::detail::placement placing_{cpus_, true};
  std::shared_ptr<const fg::detail::plan> plan_;
  std::map<std::string, unsigned> ran_;  // nodes and their devices
};

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::fputs("usage: partitions FILE.jsonl FILE.cases...\n", stderr), 2;
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  std::vector<std::string> files;
  std::map<std::string, conformance::recorded_case> cases;
  for (int i = 2; i < count; ++i) files.push_back(conformance::read_file(words[i]));
  for (const std::string& bytes : files)
    for (conformance::recorded_case& c : conformance::read_cases(bytes)) cases[c.name] = std::move(c);

  std::ifstream in(words[1]);
  std::vector<json> runs;
  std::map<std::pair<std::string, unsigned>, std::map<std::string, unsigned>> devices;  // for each case and seed
  for (std::string line; std::getline(in, line);) {
    json run = conformance::read_json(line);
    if (number(*run.find("error")) != 0) continue;
    auto& all = devices[{run.find("case")->text(), number(*run.find("seed"))}];
    for (const auto& [name, where] : run.find("placed")->members()) all[name] = number(where);
    runs.push_back(std::move(run));
  }
  std::size_t equal = 0, answers = 0, transfers = 0;
  std::set<std::string> lacking;
  for (const auto& [key, placed] : devices) {
    const auto c = cases.find(key.first);
    if (c == cases.end()) continue;
    const auto v = conformance::replay(c->second, ops, {.scatter = 3, .placed = &placed, .cut = true});
    if (v.kind == conformance::verdict::outcome::unsupported) lacking.insert(key.first);
    const bool is_equal = v.kind == conformance::verdict::outcome::equal;
    answers += is_equal;
    if (v.kind == conformance::verdict::outcome::differs)
      std::printf("%s, seed %u, answers: %s\n", key.first.c_str(), key.second, v.text.c_str());
  }
  std::erase_if(runs, [&](const json& run) { return lacking.contains(run.find("case")->text()); });
  std::erase_if(devices, [&](const auto& d) { return lacking.contains(d.first.first); });
  for (const json& run : runs) {
    const std::string& name = run.find("case")->text();
    const auto c = cases.find(name);
    std::string why = c == cases.end() ? "there is no such case" : "";
    if (why.empty()) why = compared_run(run, devices[{name, number(*run.find("seed"))}]).compare(c->second, ops);
    equal += why.empty();
    transfers += run.find("transfers")->items().size();
    if (!why.empty())
      std::printf("%s, seed %u, step %u: %s\n", name.c_str(), number(*run.find("seed")), number(*run.find("step")), why.c_str());
  }
  std::printf(
      "partitions: %zu runs with %zu transfers, %zu runs equal; %zu sessions, %zu with equal answers; %zu cases with ops that "
      "flowgraph lacks\n",
      runs.size(), transfers, equal, devices.size(), answers, lacking.size());
  return equal == runs.size() && answers == devices.size() && !runs.empty() ? 0 : 1;
}
