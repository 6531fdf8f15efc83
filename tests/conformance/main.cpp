// Replays recorded sessions of TensorFlow and compares the answers.
//
//     replay FILE.cases...                prints a line per file, then the total
//     replay --failed FILE.cases...       also prints the names of the cases that differ, each with its first difference
//     replay --case NAME FILE.cases...    prints one case in detail
//     replay --known LIST FILE.cases...   fails unless exactly the cases in LIST differ; each line has a name and a reason; several
//                                         lists may be given
//     replay --excepted TEXT ...          only names the cases whose difference contains TEXT, and does not fail for them; a LIST
//                                         may then contain other cases
//     replay --export OUT FILE.cases...   also writes the equal cases to OUT, with flowgraph's graphs and answers, with which
//                                         TensorFlow must agree
//     replay --scope FOLDER ...           also counts the cases of the catalogue's core, by registry.json and scope.txt in FOLDER
//     replay --counting --scope FOLDER    also names the cases of the core, and their missing ops
//     replay --prepared ...               runs each step as a prepared step
//     replay --without-passes ...         folds, merges and removes nothing
//     replay --further LIST ...           also runs the further passes of the list, separated by commas: known_shapes,
//                                         dead_switches, arithmetic, dependencies, group_elementwise, loop_products; "all" means
//                                         all of these;
//                                         save_memory and delay_transfers save and delay as much as possible, which is little on
//                                         one device
//     replay --only PASS ...              runs only this pass: a further pass, or fold_constants, prune_identities, merge_common
//     replay --compare-passes ...         compares each answer, of runs and of prepared steps, with that of a session without
//                                         passes, bit by bit; explains each step; the last line shows the changes of the passes
//     replay --scatter N --seed S ...     spreads the nodes of each case over N CPUs by a hash of S and their names
//     replay --cut --scatter N ...        gives each of these CPUs its own executor
//     replay --accelerated --scatter N ...  replaces all of these except the first by emulated accelerators, whose memory the
//                                         host must not access
//     replay --preferred --accelerated --scatter 2 ...  no node requires a device: the accelerator has a higher priority than
//                                         the CPU
//     replay --plain --scatter 2 ...      uses a CPU, and a device with its own kernels for 55 ops, which runs all nodes that it
//                                         can
//     replay --device ...                 uses a CPU and an emulated GPU, which runs all nodes for which it has a kernel, without
//                                         passes; results of element-wise kernels and of moves must have the bits of the CPU; the
//                                         last line shows the nodes on each device, and the cases that count: those in which the
//                                         GPU ran nodes, and all nodes for which it has a kernel
//     replay --clustered --scatter N ...  spreads the nodes over the N tasks of a cluster on a simulated network
//     replay --processes --scatter N ...  these tasks are processes that use TCP
//     replay --threads N ...              gives the sessions a pool of N threads
//     replay --every K ...                runs only the cases 0, K, 2K, ... of each file; a LIST may then contain other cases
//     replay --jobs N ...                 runs N cases at a time; the default is 2
//     replay --abort NAME ...             aborts the process of the case NAME when the case begins, to test the replay itself
//
// Cases run in other processes, many in each: a case that crashes or hangs counts as different, and a new process runs the next
// cases.

#include "replay.hpp"
#include "scope.hpp"
#include "workers.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/passes/group_elementwise.hpp>
#include <flowgraph/placement/delay_transfers.hpp>
#include <flowgraph/placement/save_memory.hpp>
#include <flowgraph/train/loop_products.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

namespace {

namespace fs = std::filesystem;
using conformance::verdict;

struct arguments {
  std::vector<std::string> files;
  std::vector<std::string> known;
  std::string one_case, exported, scope, aborted, only, excepted;
  flowgraph::further_passes further;
  bool failed = false, counting = false, prepared = false, with_passes = true, compare_passes = false, cut = false,
       accelerated = false, preferred = false, plain = false, on_gpu = false, clustered = false, processes = false;
  unsigned scatter = 0, seed = 0, threads = 1;
  std::size_t jobs = 2, every = 1;
};

struct counts {
  std::size_t cases = 0, equal = 0, differ = 0, unsupported = 0;

  void add(const counts& other) {
    cases += other.cases, equal += other.equal, differ += other.differ, unsupported += other.unsupported;
  }
};

flowgraph::further_passes further_passes(const std::string& list) {
  namespace passes = flowgraph::passes;
  constexpr const flowgraph::further_pass* all[] = {&passes::known_shapes, &passes::dead_switches, &passes::arithmetic,
                                                    &passes::dependencies, &passes::loop_products, &passes::group_elementwise};
  // The passes that use costs, with a limit that no memory meets: they save all values that can be saved, and delay all that can
  // wait.
  static const flowgraph::cost_model costs;
  static const flowgraph::save_memory saving(costs, {.limit = 1, .smallest = 1});
  static const flowgraph::delay_transfers held(costs, 1);
  const flowgraph::further_pass* by_cost[] = {&held, &saving};
  flowgraph::further_passes made;
  std::size_t named = 0;
  for (const flowgraph::further_pass* p : by_cost)
    if ((',' + list + ',').find(',' + std::string(p->name) + ',') != std::string::npos) made.add(*p), ++named;
  for (const flowgraph::further_pass* p : all)
    if (list == "all" || (',' + list + ',').find(',' + std::string(p->name) + ',') != std::string::npos) made.add(*p), ++named;
  const auto commas = static_cast<std::size_t>(std::count(list.begin(), list.end(), ','));
  if (list != "all" && named != commas + 1) throw std::runtime_error("'" + list + "' names what is no further pass");
  return made;
}

bool is_default_pass(const std::string& name) {
  return name == "fold_constants" || name == "prune_identities" || name == "merge_common";
}

arguments parse(int count, char** words) {
  arguments made;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    auto next = [&]() -> std::string {
      if (++i == count) throw std::runtime_error(word + " wants an argument");
      return words[i];
    };
    if (word == "--case") made.one_case = next();
    else if (word == "--known") made.known.push_back(next());
    else if (word == "--export") made.exported = next();
    else if (word == "--scope") made.scope = next();
    else if (word == "--abort") made.aborted = next();
    else if (word == "--counting") made.counting = true;
    else if (word == "--failed") made.failed = true;
    else if (word == "--prepared") made.prepared = true;
    else if (word == "--without-passes") made.with_passes = false;
    else if (word == "--compare-passes") made.compare_passes = true;
    else if (word == "--only") made.only = next();
    else if (word == "--excepted") made.excepted = next();
    else if (word == "--further") made.further = further_passes(next());
    else if (word == "--scatter") made.scatter = static_cast<unsigned>(std::stoul(next()));
    else if (word == "--cut") made.cut = true;
    else if (word == "--accelerated") made.accelerated = true;
    else if (word == "--preferred") made.preferred = true;
    else if (word == "--plain") made.plain = true;
    else if (word == "--device") made.on_gpu = true;
    else if (word == "--clustered") made.clustered = true;
    else if (word == "--processes") made.clustered = made.processes = true;
    else if (word == "--threads") made.threads = static_cast<unsigned>(std::stoul(next()));
    else if (word == "--seed") made.seed = static_cast<unsigned>(std::stoul(next()));
    else if (word == "--every") made.every = std::max(1ul, std::stoul(next()));
    else if (word == "--jobs") made.jobs = std::max(1ul, std::stoul(next()));
    else if (word.starts_with("--")) throw std::runtime_error("'" + word + "' is no option");
    else made.files.push_back(word);
  }
  if (!made.only.empty() && !is_default_pass(made.only)) made.further = further_passes(made.only);
  if (!made.exported.empty()) made.jobs = 1;  // in the order of the files
  if (made.files.empty()) throw std::runtime_error("no FILE.cases is given");
  return made;
}

// Returns whether float32 has a wide tolerance in the file.
bool is_wide(const std::string& path) {
  static const std::set<std::string> wide = {"conv", "gradient", "linalg", "linear", "models"};
  return wide.contains(fs::path(path).stem().string());
}

class runner {
public:
  explicit runner(const arguments& a) : arguments_(a) {
    flowgraph::add_standard_ops(ops_).value();
    flowgraph::add_exchange_ops(ops_).value();  // for tasks
    for (const std::string& list : a.known) read_known(list);
    if (!a.scope.empty()) scope_.emplace(a.scope + "/registry.json", a.scope + "/scope.txt");
  }

  // Returns whether the result is as expected.
  bool run() {
    if (!arguments_.exported.empty()) std::ofstream(arguments_.exported, std::ios::binary);
    if (!arguments_.one_case.empty()) return run_one();
    counts total;
    for (const std::string& path : arguments_.files) add_file(path);
    // One set of processes for all files, because a process opens a real GPU once.
    const auto run = [this](std::size_t index) {
      const auto after = std::ranges::upper_bound(files_, index, {}, &case_file::first);
      const case_file& f = *std::prev(after);
      return run_alone(f.cases[index - f.first], f.options);
    };
    conformance::workers running({.run = run, .cases = cases_, .processes = arguments_.jobs});
    for (const case_file& f : files_) total.add(run_file(f, running));
    std::printf("total: %zu cases, %zu equal, %zu differ, %zu unsupported\n", total.cases, total.equal, total.differ,
                total.unsupported);
    if (scope_)
      std::printf("core: %zu cases, %zu equal, %zu differ, %zu unsupported\n", core_.cases, core_.equal, core_.differ,
                  core_.unsupported);
    if (arguments_.on_gpu) report_places();
    return arguments_.known.empty() ? total.differ == 0 && check_changed() : check_known(total);
  }

private:
  conformance::replay_options options_for(const std::string& path) const {
    return {.wide = is_wide(path),
            .prepared = arguments_.prepared,
            .passes = passes(),
            .scatter = arguments_.scatter,
            .seed = arguments_.seed,
            .cut = arguments_.cut,
            .accelerated = arguments_.accelerated,
            .preferred = arguments_.preferred,
            .plain = arguments_.plain,
            .on_gpu = arguments_.on_gpu,
            .clustered = arguments_.clustered,
            .processes = arguments_.processes,
            .threads = arguments_.threads,
            .compare_passes = arguments_.compare_passes};
  }
  flowgraph::pass_options passes() const {
    const std::string& only = arguments_.only;
    flowgraph::pass_options made = arguments_.with_passes && !arguments_.on_gpu && only.empty() ? flowgraph::pass_options()
                                                                                                : flowgraph::pass_options::none();
    if (only == "fold_constants") made.fold_constants = true;
    if (only == "prune_identities") made.prune_identities = true;
    if (only == "merge_common") made.merge_common = true;
    made.further = arguments_.further;
    return made;
  }
  void report_places() const {
    std::printf("nodes: %zu ran on the GPU, %zu on the host, of which %zu have a kernel for the GPU\n", ran_.on_gpu, ran_.on_host,
                ran_.missed);
    std::printf("device: %zu cases count, %zu equal, %.2f %%; %zu ran no node on the GPU, %zu have nodes that should run there\n",
                on_gpu_.cases, on_gpu_.equal, on_gpu_.cases ? 100. * double(on_gpu_.equal) / double(on_gpu_.cases) : 0.,
                without_gpu_, missed_);
  }
  void count_places(const verdict& v, const counts& one, const std::string& name) {
    ran_.add(v.ran);
    if (v.ran.missed > 0) ++missed_;
    else if (v.ran.on_gpu == 0) ++without_gpu_;
    else on_gpu_.add(one);
    if (v.ran.missed > 0 && arguments_.failed)
      std::printf("does not count: %s: %zu nodes ran on the host\n", name.c_str(), v.ran.missed);
  }
  // Checks that each pass has done something: otherwise the comparison means nothing.
  bool check_changed() const {
    if (!arguments_.compare_passes) return true;
    std::vector<std::string> names{"prune_identities", "fold_constants", "merge_common"};
    for (std::size_t k = 0; k < arguments_.further.size(); ++k) names.push_back(arguments_.further[k].name);
    // Unless it is listed, it makes only large groups, which few cases have.
    const bool groups_all = std::ranges::find(names, "group_elementwise") != names.end();
    if (!groups_all) names.push_back("group_elementwise");
    bool good = changed_.size() == names.size();
    for (std::size_t k = 0; good && k < changed_.size(); ++k) {
      std::printf("%s: %zu nodes changed, in %zu cases\n", names[k].c_str(), changed_[k], cases_changed_[k]);
      const bool is_on = arguments_.only.empty() ? arguments_.with_passes : arguments_.only == names[k];
      good = is_on == (changed_[k] > 0) || (!groups_all && k == names.size() - 1);
    }
    return good;
  }

  // Reads lines "name reason". The reason is for readers, but must not be empty.
  void read_known(const std::string& list) {
    std::ifstream in(list);
    if (!in) throw std::runtime_error("'" + list + "' cannot be read");
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line.starts_with('#')) continue;
      const auto end = line.find(' ');
      if (end == std::string::npos) throw std::runtime_error("'" + line + "': no reason is given");
      known_.insert(line.substr(0, end));
    }
  }

  bool is_excepted(const std::string& text) const {
    return !arguments_.excepted.empty() && text.find(arguments_.excepted) != text.npos;
  }

  bool check_known(const counts& total) const {
    bool good = true;
    for (const auto& [name, text] : differing_)
      if (known_.contains(name)) continue;
      else if (is_excepted(text)) std::printf("excepted: %s: %s\n", name.c_str(), text.c_str());
      else good = false, std::printf("differs, and is not known to: %s: %s\n", name.c_str(), text.c_str());
    if (arguments_.every > 1 || !arguments_.excepted.empty()) return good;  // the list is valid for all cases, spread in one way
    for (const std::string& name : known_)
      if (!differing_.contains(name))
        good = false, std::printf("is known to differ, and does not; strike it from the list: %s\n", name.c_str());
    const std::size_t counted = total.equal + total.differ;
    std::printf("known differences: %zu of %zu cases that count\n", known_.size(), counted);
    if (known_.size() * 100 > counted) good = false, std::printf("that is more than 1 %%\n");
    return good;
  }

  bool run_one() {
    for (const std::string& path : arguments_.files) {
      const std::string bytes = conformance::read_file(path);
      for (const auto& c : conformance::read_cases(bytes)) {
        if (c.name != arguments_.one_case) continue;
        std::printf("%s: %zu steps, ops:", c.name.c_str(), c.steps.size());
        for (const std::string& op : c.ops) std::printf(" %s", op.c_str());
        std::printf("\n");
        conformance::replay_options options = options_for(path);
        options.tell = true;
        const conformance::own_folder folder;
        const verdict v = conformance::replay(c, ops_, options);
        for (const std::string& op : v.lacking) std::printf("unsupported: %s\n", op.c_str());
        std::printf("%s\n", v.kind == verdict::outcome::equal     ? "equal"
                            : v.kind == verdict::outcome::differs ? "differs"
                                                                  : "unsupported");
        return v.kind != verdict::outcome::differs;
      }
    }
    throw std::runtime_error("no case is named '" + arguments_.one_case + "'");
  }

  // Runs a case in a process that may crash.
  verdict run_alone(const conformance::recorded_case& c, conformance::replay_options options) const {
    if (c.name == arguments_.aborted) std::abort();
    std::string file;
    if (!arguments_.exported.empty()) options.exported = &file;
    const verdict made = conformance::replay(c, ops_, options);
    if (!file.empty()) std::ofstream(arguments_.exported, std::ios::binary | std::ios::app) << file << std::flush;
    return made;
  }

  // The cases of a file that run. `first`: the index of the first one among the cases of all files.
  struct case_file {
    std::string path;
    std::unique_ptr<const std::string> bytes;  // the cases refer to them
    std::vector<conformance::recorded_case> cases;
    conformance::replay_options options;
    std::size_t first = 0;
  };
  void add_file(const std::string& path) {
    auto bytes = std::make_unique<const std::string>(conformance::read_file(path));
    auto cases = conformance::read_cases(*bytes);
    std::erase_if(cases, [&, i = std::size_t{0}](const auto&) mutable { return i++ % arguments_.every != 0; });
    const std::size_t first = cases_;
    cases_ += cases.size();
    files_.push_back({path, std::move(bytes), std::move(cases), options_for(path), first});
  }

  counts run_file(const case_file& file, conformance::workers& running) {
    const std::vector<conformance::recorded_case>& cases = file.cases;
    counts found;
    std::map<std::string, std::size_t> lacking;
    for (std::size_t done = 0; done < cases.size(); ++done) {
      const verdict v = running.next();
      if (changed_.size() < v.changed.size()) changed_.resize(v.changed.size()), cases_changed_.resize(v.changed.size());
      for (std::size_t k = 0; k < v.changed.size(); ++k) {
        changed_[k] += v.changed[k];
        cases_changed_[k] += v.changed[k] > 0 ? 1u : 0u;
      }
      counts one;
      one.cases = 1;
      switch (v.kind) {
        case verdict::outcome::equal: one.equal = 1; break;
        case verdict::outcome::differs:
          one.differ = 1;
          differing_[cases[done].name] = v.text;
          if (arguments_.failed) std::printf("%s: %s\n", cases[done].name.c_str(), v.text.c_str());
          break;
        case verdict::outcome::unsupported:
          one.unsupported = 1;
          for (const std::string& op : v.lacking) ++lacking[op];
      }
      found.add(one);
      if (arguments_.on_gpu) count_places(v, one, cases[done].name);
      if (scope_ && scope_->counts(cases[done].ops)) count_in_core(cases[done], one, v);
    }
    std::printf("%s: %zu cases, %zu equal, %zu differ, %zu unsupported", fs::path(file.path).filename().c_str(), found.cases,
                found.equal, found.differ, found.unsupported);
    const char* before = " (";
    for (const auto& [op, count] : lacking) std::printf("%s%s", std::exchange(before, ", "), op.c_str());
    std::printf(lacking.empty() ? "\n" : ")\n");
    std::fflush(stdout);
    return found;
  }

  void count_in_core(const conformance::recorded_case& c, const counts& one, const verdict& v) {
    core_.add(one);
    if (!arguments_.counting) return;
    std::printf("core %c %s", static_cast<char>(v.kind), c.name.c_str());
    for (const std::string& op : v.lacking) std::printf(" %s", op.c_str());
    std::printf("\n");
  }

  const arguments& arguments_;
  flowgraph::registry ops_;
  std::optional<conformance::scope> scope_;
  std::vector<case_file> files_;
  std::size_t cases_ = 0;  // in all files
  counts core_, on_gpu_;
  conformance::node_places ran_;
  std::size_t without_gpu_ = 0, missed_ = 0;
  std::set<std::string> known_;
  std::map<std::string, std::string> differing_;
  std::vector<std::size_t> changed_,
      cases_changed_;  // for each pass, over all equal cases: changed nodes, and cases with such nodes
};

}  // namespace

int main(int count, char** words) {
  try {
    const arguments given = parse(count, words);
    return runner(given).run() ? 0 : 1;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "replay: %s\n", why.what());
    return 2;
  }
}
