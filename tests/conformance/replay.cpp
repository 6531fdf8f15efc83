#include "replay.hpp"

#include "clustered.hpp"
#include "emulated.hpp"

#include "../harness/accelerator/kernels.hpp"
#include "../harness/plain_device/kernels.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/detail/image_library.hpp>
#include <flowgraph/interop/export.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/op/device.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace conformance {

namespace {

namespace fg = flowgraph;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::string_view node_of(std::string_view input) {
  if (input.starts_with('^')) return input.substr(1);
  return input.substr(0, input.rfind(':'));
}

// Returns the checksum of zlib.
std::uint32_t crc32(std::string_view text) {
  std::uint32_t sum = ~0u;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (sum & 1 ? 0xedb88320u : 0u);
  }
  return ~sum;
}

// The nodes that the steps of a case need in the graphs that they add.
class needs {
public:
  needs(const recorded_case& c, const std::vector<fg::graph_def>& graphs, bool cut_at_feeds) {
    for (const fg::graph_def& g : graphs)
      for (const fg::node_def& n : g.nodes) nodes_.emplace(n.name, &n);
    for (const step& s : c.steps) {
      fed_.clear();
      for (const value& v : s.feeds) {
        if (cut_at_feeds) fed_.insert(node_of(v.tensor));
        else visit(node_of(v.tensor));
      }
      for (const value& v : s.fetches) visit(node_of(v.tensor));
      for (const std::string& t : s.targets) visit(t);
    }
  }
  bool contains(std::string_view node) const { return needed_.contains(node); }

private:
  void visit(std::string_view from) {
    std::vector<std::string_view> open{from};
    while (!open.empty()) {
      const std::string_view name = open.back();
      open.pop_back();
      if (fed_.contains(name) || !needed_.insert(name).second) continue;
      const auto at = nodes_.find(name);
      if (at == nodes_.end()) continue;
      for (const std::string& input : at->second->inputs) open.push_back(node_of(input));
    }
  }

  std::map<std::string_view, const fg::node_def*> nodes_;
  std::set<std::string_view> fed_, needed_;
};

class session_replay {
public:
  session_replay(const recorded_case& c, const fg::registry& ops, const replay_options& options)
      : case_(c), ops_(ops), options_(options) {
    if (options.compare_passes)
      for (session_pair* p : {&run_, &prepared_})
        p->without.emplace(graph_, fg::session_options{.soft_placement = true, .passes = fg::pass_options::none()});
  }

  verdict run() {
    for (const std::string& op : case_.ops)
      if (!has(op)) lacks(op);
    if (!verdict_.lacking.empty()) return verdict_;
    for (const step& s : case_.steps) {
      auto read = fg::read_graph_def(bytes_of(s.extend));
      if (!read) return differs("a graph cannot be read: " + std::string(read.error().message()));
      if (!graphs_.empty()) read->library.insert(0, graphs_.back().library);  // a session keeps its earlier functions
      for (const std::string& f : read->functions()) functions_.insert(f);
      graphs_.push_back(*std::move(read));
    }
    choose_nodes();
    if (options_.scatter || gpu_) scatter();
    if (!verdict_.lacking.empty()) return verdict_;
    for (std::size_t i = 0; i < case_.steps.size(); ++i) {
      const std::string found = one_step(i);
      if (options_.tell) std::printf("step %zu: %s\n", i, found.empty() ? "equal" : found.c_str());
      if (!found.empty() && verdict_.kind == verdict::outcome::equal) differs("step " + std::to_string(i) + ": " + found);
      if (!found.empty() && !options_.tell) break;
    }
    if (options_.exported && verdict_.kind == verdict::outcome::equal) *options_.exported = write_case(exported_);
    return verdict_;
  }

private:
  bool has(const std::string& op) const {
    // These ops need flowgraph::images, which this program links if it was built.
    const bool reads_images = op.find("Jpeg") != std::string::npos || op == "DecodeGif" || op == "DecodeImage";
    if (reads_images && flowgraph_images_1::library == nullptr) return false;
    return !ops_.tables(op).empty() || functions_.contains(op) || fg::is_call_of_functions(op);
  }
  void lacks(const std::string& op) {
    verdict_.kind = verdict::outcome::unsupported;
    if (std::find(verdict_.lacking.begin(), verdict_.lacking.end(), op) == verdict_.lacking.end()) verdict_.lacking.push_back(op);
  }
  verdict differs(const std::string& text) {
    verdict_.kind = verdict::outcome::differs;
    verdict_.text = text;
    return verdict_;
  }

  // Keeps only the nodes that a step needs. A node of an unknown op that is always fed is replaced by a placeholder.
  void choose_nodes() {
    const needs all(case_, graphs_, false), run(case_, graphs_, true);
    std::map<std::string_view, fg::dtype> fed;
    for (const step& s : case_.steps)
      for (const value& v : s.feeds)
        if (auto t = fg::read_tensor(bytes_of(v.proto))) fed[node_of(v.tensor)] = t->type();
    bool lacking = false;
    for (const fg::graph_def& g : graphs_)
      for (const fg::node_def& n : g.nodes) lacking = lacking || (all.contains(n.name) && !has(n.op));
    for (fg::graph_def& g : graphs_) {
      std::erase_if(g.nodes, [&](const fg::node_def& n) {
        return !(lacking ? run.contains(n.name) || fed.contains(n.name) : all.contains(n.name));
      });
      for (fg::node_def& n : g.nodes) {
        if (lacking && !run.contains(n.name)) {
          fg::node_def placeholder{n.name, "Placeholder", {}};
          placeholder.attributes.push_back({.name = "dtype", .value = fed[n.name]});
          n = placeholder;
        }
        if (!has(n.op)) lacks(n.op);
      }
    }
  }

  // Places each node on a CPU. Nodes that share state, or must be together, are placed together.
  void scatter() {
    std::set<std::string> names;
    for (fg::graph_def& g : graphs_)
      for (fg::node_def& n : g.nodes) names.insert("loc:@" + n.name);
    for (fg::graph_def& g : graphs_)
      for (fg::node_def& n : g.nodes) {
        for (fg::attribute_def& a : n.attributes)  // nodes that no step needs do not exist any more
          if (const auto* with = a.name == "_class" ? a.value.get<std::vector<std::string>>() : nullptr) {
            std::vector<std::string> kept = *with;
            std::erase_if(kept, [&](const std::string& name) { return options_.placed || !names.contains(name); });
            a.value = kept;
          }
        if (const auto place = place_of(n.name))
          n.device = options_.clustered                   ? fg::message{"/job:worker/task:", *place}.string()
                     : options_.accelerated && *place > 0 ? "/device:ACCEL:" + std::to_string(*place - 1)
                                                          : "/device:CPU:" + std::to_string(*place);
      }
  }

  std::optional<unsigned> place_of(const std::string& name) const {
    if (options_.preferred || options_.plain || options_.on_gpu) return std::nullopt;
    if (!options_.placed) return crc32(std::to_string(options_.seed) + "/" + name) % options_.scatter;
    const auto at = options_.placed->find(name);
    return at == options_.placed->end() ? std::nullopt : std::optional(at->second);
  }

  using answers = fg::result<std::vector<fg::any_tensor>>;

  // Adds the graphs of all steps, up to the first graph with an error. A session places all nodes that share a variable on one
  // device only if the graph has these nodes before the first run.
  void import_all() {
    while (imported_graphs_ < graphs_.size() &&
           fg::import_graph(graph_, graphs_[imported_graphs_], ops_, {.extend = true}).has_value())
      ++imported_graphs_;
  }
  // Adds the graph of the step, and reads its feeds.
  fg::result<fg::named_run> request_of(std::size_t i) {
    const step& s = case_.steps[i];
    imported_ = false;
    if (gpu_) import_all();
    if (i >= imported_graphs_)
      if (auto made = fg::import_graph(graph_, graphs_[i], ops_, {.extend = true}); !made) return made.error();
    imported_ = true;
    if (accelerators_) accelerators_->learn(graph_);
    fg::named_run request;
    for (const value& v : s.feeds) {
      auto t = fg::read_tensor(bytes_of(v.proto));
      if (!t) return t.error();
      request.feeds.emplace_back(v.tensor, *t);
    }
    for (const value& v : s.fetches) request.fetches.push_back(v.tensor);
    request.targets = s.targets;
    return request;
  }
  // Returns the answer of a session: tensors or an error.
  answers answer(fg::session& s, const fg::result<fg::named_run>& request, bool prepared) {
    if (!request) return request.error();
    const fg::run_options in_time = fg::run_options::within(std::chrono::seconds(options_.clustered ? 500 : gpu_ ? 100 : 30));
    if (gpu_ && !prepared) return s.try_run(*request, gpu_->watched(in_time));
    return prepared ? run_prepared(s, *request, in_time) : s.try_run(*request, in_time);
  }

  // Counts the nodes of the step on each device. If the answer of the GPU must have the bits of the CPU, compares both answers.
  std::string count_places(const step& s, const fg::result<fg::named_run>& request, const answers& found) {
    std::set<std::string> missed = gpu_->count(graph_, verdict_.ran);
    if (!missed.empty() && request)
      if (const auto made = explained(*request))
        for (const fg::explained_node& n : made->nodes)
          if (n.reason == "read by the host") missed.erase(n.name);
    verdict_.ran.missed += missed.size();
    for (const std::string& name : missed)
      if (options_.tell)
        std::printf("ran on the host: %s (%s)\n", name.c_str(), std::string(graph_.find(name)->op->name()).c_str());
    if (case_.has_tag("file") || !request) return {};
    const answers wanted = on_cpu_->try_run(*request, fg::run_options::within(std::chrono::seconds(30)));
    if (!wanted || !found || !gpu_->is_exact()) return {};
    for (std::size_t k = 0; k < found->size(); ++k)
      if (s.fetches[k].present && s.fetches[k].compare != comparison::shape && !has_same_numbers((*found)[k], (*wanted)[k]))
        return s.fetches[k].tensor + " has other bits on the GPU";
    return {};
  }

  answers run_prepared(fg::session& s, const fg::named_run& request, const fg::run_options& in_time) {
    std::vector<fg::any_out> feeds, fetches;
    std::vector<fg::target> targets;
    std::vector<fg::any_tensor> given;
    for (const auto& [name, value] : request.feeds) {
      const auto edge = graph_.output(name);
      if (!edge) return edge.error();
      feeds.push_back(*edge);
      given.push_back(value);
    }
    for (const std::string& name : request.fetches) {
      const auto edge = graph_.output(name);
      if (!edge) return edge.error();
      fetches.push_back(*edge);
    }
    for (const std::string& name : request.targets) targets.push_back(graph_.find(name));
    auto prepared = s.try_prepare(feeds, fetches, targets);
    if (!prepared) return prepared.error();
    std::vector<fg::any_tensor> made(fetches.size());
    if (const auto ran = prepared->try_run(given, made, in_time); !ran) return ran.error();
    return made;
  }

  // Runs the step in sessions with and without passes, as a run and prepared.
  std::string compare_passes(std::size_t i) {
    const auto request = request_of(i);
    if (request) explain(*request);
    for (session_pair* p : {&run_, &prepared_}) {
      const bool prepared = p == &prepared_;
      const std::string folder = prepared ? "prepared" : "run";
      const answers with = in_folder(folder + "_with", [&] { return answer(p->with, request, prepared); }),
                    without = in_folder(folder + "_without", [&] { return answer(*p->without, request, prepared); });
      const std::string text = different_bits(case_.steps[i], with, without);
      if (!text.empty()) return (prepared ? "prepared: " : "run: ") + text;
    }
    return {};
  }
  // Calls `ask` in a new folder, so that sessions do not find the files of other sessions.
  template <class F> answers in_folder(const std::string& name, F ask) const {
    if (!case_.has_tag("file")) return ask();
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::create_directories(before / name / "flowgraph_case");
    std::filesystem::current_path(before / name);
    answers made = ask();
    std::filesystem::current_path(before);
    return made;
  }
  std::string different_bits(const step& s, const answers& with, const answers& without) const {
    const bool reads_clock = std::find(case_.ops.begin(), case_.ops.end(), "Timestamp") != case_.ops.end();
    const int code = with ? 0 : static_cast<int>(with.error().code()),
              expected = without ? 0 : static_cast<int>(without.error().code());
    if (code != expected)
      return std::string("with passes ") + (with ? "success" : with.error().what()) + ", without " +
             (without ? "success" : without.error().what());
    for (std::size_t k = 0; with && !reads_clock && k < with->size(); ++k)
      if (!is_same_to_the_bit((*with)[k], (*without)[k])) return s.fetches[k].tensor + " has other bits with passes";
    return {};
  }
  fg::result<fg::explanation> explained(const fg::named_run& request) {
    std::vector<fg::edge_or_name> fetches(request.fetches.begin(), request.fetches.end());
    std::vector<fg::target_or_name> targets(request.targets.begin(), request.targets.end());
    std::vector<fg::fed_shape> feeds;
    for (const auto& [name, value] : request.feeds) feeds.emplace_back(name, value.shape());
    return run_.with.try_explain(fetches, targets, feeds);
  }
  // Counts the changes of the passes. The run also refuses everything that is refused here.
  void explain(const fg::named_run& request) {
    const auto made = explained(request);
    if (!made) return;
    verdict_.changed.resize(made->passes.size());
    for (std::size_t k = 0; k < made->passes.size(); ++k) verdict_.changed[k] += made->passes[k].changed;
    explained_ += to_text(*made).size() + to_dot(*made).size();
  }

  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

  // Adds the step with flowgraph's graph and answer. Returns a text that describes a mistake, or an empty text.
  std::string add_exported(const step& s, std::size_t nodes_before, const fg::result<std::vector<fg::any_tensor>>& found) {
    if (exported_.name.empty()) exported_ = {case_.name, {}, case_.ops, case_.tags};
    step made = s;
    const auto file = fg::export_graph(graph_, {.first = nodes_before});
    if (!file) return std::string("the graph cannot be exported: ") + file.error().what();
    const auto bytes = fg::write_graph_def(*file);
    if (!bytes) return std::string("the graph cannot be written: ") + bytes.error().what();
    made.extend = keep(*bytes);
    for (std::size_t k = 0; found && k < s.fetches.size(); ++k) {
      const auto value = fg::write_tensor((*found)[k]);
      made.fetches[k].present = value.has_value();
      if (value) made.fetches[k].proto = keep(*value);
    }
    exported_.steps.push_back(std::move(made));
    return {};
  }

  bool is_up_to_sign(const std::string& tensor) const {
    const fg::node* n = graph_.find(node_of(tensor));
    return n &&
           (n->op->name() == "Svd" || n->op->name().find("SelfAdjointEig") != std::string_view::npos || n->op->name() == "Eig");
  }

  std::string one_step(std::size_t i) {
    if (options_.compare_passes) return compare_passes(i);
    const step& s = case_.steps[i];
    const std::size_t nodes_before = graph_.size();
    const auto request = request_of(i);
    const auto found = answer(run_.with, request, options_.prepared);
    if (gpu_)
      if (std::string why = count_places(s, request, found); !why.empty()) return why;
    if (options_.exported && imported_)  // otherwise there is nothing that TensorFlow could be asked to repeat
      if (std::string why = add_exported(s, nodes_before, found); !why.empty()) return why;
    const int code = found ? 0 : static_cast<int>(found.error().code());
    if (code != s.error) {
      return "ended in " +
             (code ? std::string(name_of(found.error().code())) + ": " + found.error().what() : std::string("success")) +
             ", expected " +
             (s.error ? std::string(name_of(static_cast<fg::error_code>(s.error))) + ": " + s.error_text
                      : std::string("success"));
    }
    if (!found) return {};
    for (std::size_t k = 0; k < s.fetches.size(); ++k) {
      const value& v = s.fetches[k];
      if (!v.present) continue;
      const auto expected = fg::read_tensor(bytes_of(v.proto));
      if (!expected) {
        if (v.compare == comparison::shape && expected.error().code() == fg::error_code::unimplemented) continue;  // a handle
        return v.tensor + ": " + expected.error().what();
      }
      const tolerance t{options_.wide || case_.has_tag("gradient"), is_up_to_sign(v.tensor)};
      const std::string text = difference((*found)[k], *expected, v.compare, t);
      if (!text.empty()) return v.tensor + ": " + text;
    }
    return {};
  }

  const recorded_case& case_;
  const fg::registry& ops_;
  const replay_options& options_;
  verdict verdict_;
  std::vector<fg::graph_def> graphs_;
  std::set<std::string, std::less<>> functions_;
  recorded_case exported_;
  std::deque<std::string> kept_;  // the texts that its views refer to
  bool imported_ = false;
  std::size_t imported_graphs_ = 0;  // number of graphs that were added before the first step
  std::size_t explained_ = 0;
  fg::graph graph_;
  std::unique_ptr<fg::thread_pool> pool_ = options_.threads > 1 ? std::make_unique<fg::thread_pool>(options_.threads) : nullptr;
  // Returns CPUs, or a CPU and a device that runs all nodes for which it has a kernel.
  fg::device_list near_devices() const {
    fg::device_list made = fg::cpu_devices(options_.plain ? 1 : options_.scatter);
    if (!options_.plain) return made;
    static const std::shared_ptr<const fg::kernel_set> kernels = plain::make_kernels(false);
    made.push_back(std::make_unique<plain::device>("plain:0", kernels));
    made[1].set_priority(1);
    return made;
  }
  fg::device_list cpus_ = near_devices();
  std::unique_ptr<accelerator::accelerators> accelerators_ =
      options_.accelerated ? std::make_unique<accelerator::accelerators>(options_.seed, options_.scatter - 1,
                                                                         std::size_t{1} << 31, options_.preferred)
                           : nullptr;
  std::unique_ptr<emulated_gpu> gpu_ = options_.on_gpu ? std::make_unique<emulated_gpu>(options_.seed) : nullptr;
  std::unique_ptr<clustered_tasks> tasks_ = options_.processes ? task_processes(options_.scatter, ops_)
                                            : options_.clustered
                                                ? simulated_tasks(options_.scatter, options_.seed, ops_, options_.passes.further)
                                                : nullptr;
  fg::session_options session_options() const {
    if (tasks_) return {.soft_placement = true, .passes = options_.passes, .target = tasks_->connect()};
    return {.pool = pool_.get(),
            .devices = gpu_            ? gpu_->devices()
                       : accelerators_ ? accelerators_->devices()
                                       : cpus_,
            .soft_placement = true,
            .cut = options_.cut ? fg::per_device : fg::cutting{},
            .passes = options_.passes};
  }
  struct session_pair {
    fg::session with;
    std::optional<fg::session> without = {};
  };
  // A session with the same passes, but without a GPU.
  std::optional<fg::session> on_cpu_ =
      options_.on_gpu ? std::optional<fg::session>(std::in_place, graph_,
                                                   fg::session_options{.soft_placement = true, .passes = options_.passes})
                      : std::nullopt;
  session_pair run_{fg::session{graph_, session_options()}}, prepared_{fg::session{graph_, session_options()}};
};

}  // namespace

verdict replay(const recorded_case& c, const fg::registry& ops, const replay_options& options) {
  return session_replay(c, ops, options).run();
}

}  // namespace conformance
