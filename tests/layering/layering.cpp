// Reads every #include below a source tree and reports each one that goes in a wrong direction, as file:line; includes in the middle of
// a header; loops of includes; ops that the engine knows by their names; and folders with too many files.
//
// Usage: layering <source tree> [upward includes allowed, files allowed per folder]. Prints nothing but counts and returns 0 where all is
// well.

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using names = std::vector<std::string_view>;

// A layer may include itself and what stands here.
struct layer_rule {
  std::string_view layer;
  names may_include;
};

const std::vector<layer_rule> layers = {
    {"base", {}},  // config, version, fwd
    {"functors", {"base"}},
    {"core", {"base"}},
    {"formats", {"base", "core"}},
    {"op", {"base", "core", "functors"}},
    {"graph", {"base", "core", "op"}},
    {"passes", {"base", "core", "op", "graph"}},
    {"runtime", {"base", "core", "functors", "op", "graph", "passes"}},
    {"ops", {"base", "core", "formats", "functors", "op", "graph", "ops/kernel"}},
    {"ops/kernel", {"base", "functors"}},
    {"placement", {"base", "core", "op", "graph", "passes", "runtime"}},
    {"train", {"base", "core", "formats", "op", "graph", "ops", "passes", "runtime"}},
    {"deploy", {"base", "core", "op", "graph", "passes", "ops", "runtime"}},
    {"io", {"base", "core", "formats", "op", "graph", "passes", "runtime"}},
    {"interop", {"base", "core", "formats", "op", "graph", "ops", "runtime"}},
    {"observe", {"base", "core", "formats", "op", "graph", "ops", "passes", "runtime", "deploy"}},
    {"distributed", {"base", "core", "formats", "op", "graph", "runtime", "io"}},
    {"cuda", {"base", "core", "op"}},
    {"umbrella", {"base", "core", "op", "graph", "ops", "runtime", "passes", "placement", "train"}},
    {"implementation",
     {"base", "umbrella", "core", "formats", "op", "graph", "ops", "runtime", "passes", "placement", "train", "deploy", "io",
      "observe"}},
    {"backends/host", {"everything"}},
    {"backends/distributed",
     {"base", "core", "formats", "op", "graph", "passes", "ops", "runtime", "io", "observe", "distributed"}},
    {"backends/tcp", {"base", "core", "op", "graph", "runtime", "io", "distributed"}},
    {"backends/cuda", {"base", "core", "functors", "op", "graph", "ops", "ops/kernel", "cuda"}},
    {"backends/images", {"base", "formats"}},
    {"backends/interop", {"base", "core", "formats", "op", "graph", "ops", "runtime", "interop"}},
    {"examples", {"everything"}},
    {"bench", {"everything"}},
    {"programs", {"everything"}},
    {"tests", {"everything"}},
};

// The categories of ops: each may include those before it. An include that goes upward is counted, and their number may only fall.
const names categories = {"shared", "array",          "math",     "operators", "random", "state",  "training",     "reduction",
                          "nn",     "linear_algebra", "quantize", "image",     "signal", "sparse", "sequence",     "sampling",
                          "debug",  "checkpoint",     "strings",  "data_flow", "input",  "lookup", "control_flow", "rnn",
                          "lists"};
// Headers of ops/ itself; all others are lists of what the categories have.
const names operators = {"operators.hpp", "accumulate.hpp", "impl/accumulate.hpp"};
constexpr std::size_t upward_allowed = 25;
// Sources directly in one folder: nobody reads more than about 40 as one list. A few more are no reason to move files.
constexpr std::size_t files_allowed = 45;

// The loops between headers that are allowed go through these headers: families whose gradients are made of each other include the first
// at their end. The gradient of a product needs all operators, so operators.hpp includes the second at its end.
constexpr std::string_view gradients[] = {"include/flowgraph/ops/shared/detail/gradients.hpp",
                                          "include/flowgraph/ops/reduction/detail/product_gradient.hpp"};

// The tables of a few ops name rules of the runtime, which a program has only with these ops. In a header-only build their headers bring
// the rules along, at their end.
struct brought_rules {
  std::string_view ops, rules;
};
const std::vector<brought_rules> brought = {
    {"include/flowgraph/ops/control_flow/control_flow.hpp", "include/flowgraph/runtime/schedule/impl/flow_rules.hpp"},
    {"include/flowgraph/ops/control_flow/ref_select.hpp", "include/flowgraph/runtime/schedule/impl/flow_rules.hpp"},
    {"include/flowgraph/ops/data_flow/stack.hpp", "include/flowgraph/runtime/schedule/impl/flow_rules.hpp"},
    {"include/flowgraph/ops/data_flow/tensor_array.hpp", "include/flowgraph/runtime/schedule/impl/flow_rules.hpp"},
    {"include/flowgraph/ops/state/temporary.hpp", "include/flowgraph/runtime/schedule/impl/flow_rules.hpp"},
    {"include/flowgraph/ops/exchange.hpp", "include/flowgraph/runtime/parts/impl/exchange.hpp"},
};
bool brings(std::string_view header, std::string_view target) {
  return std::any_of(brought.begin(), brought.end(),
                     [&](const brought_rules& b) { return b.ops == header && b.rules == target; });
}

// What runs graphs goes by the facts of an op's table, never by its name.
const names nameless_layers = {"core", "op", "graph", "passes", "placement", "runtime"};

// Other people's headers, by how their names begin, and the only places that may see them.
struct third_party_rule {
  std::string_view prefix;
  names allowed_below;
};

const std::vector<third_party_rule> third_parties = {
    {"Eigen/", {"include/flowgraph/ops/linear_algebra/detail/"}},
    {"unsupported/Eigen/", {"include/flowgraph/ops/linear_algebra/detail/"}},
    {"asio", {"backends/tcp/", "bench/network/"}},
    {"cereal/", {"include/flowgraph/io/"}},
    {"jpeglib", {"backends/images/"}},
    {"jerror", {"backends/images/"}},
    {"gif_lib", {"backends/images/"}},
    {"protozero/", {"backends/interop/", "include/flowgraph/observe/", "tests/conformance/"}},
    {"zlib", {"include/flowgraph/formats/impl/"}},
    {"doctest", {"tests/"}},
    {"cuda", {"backends/cuda/", "tests/cuda/"}},
    {"cublas", {"backends/cuda/", "tests/cuda/"}},
    {"cudnn", {"backends/cuda/"}},
    {"nvrtc", {"backends/cuda/"}},
    {"boost/", {}},
    {"absl/", {}},
    {"google/", {}},
};

// Kernel code is compiled once per instruction-set level: any function it shared with the rest of a program could be the one that
// the linker keeps for every processor.
const names kernel_may_include = {"cstddef", "cstdint", "cpuid.h", "emmintrin.h", "immintrin.h", "arm_neon.h"};
const names kernel_gateways = {"include/flowgraph/ops/kernel/dispatch.hpp"};

// Functors are compiled for every instruction set and for devices. One header has what needs the standard library: kernels do not see it.
const std::string_view functors = "include/flowgraph/functors/", numbers = "include/flowgraph/functors/numbers.hpp";
const names functors_may_include = {"cstdint"};
const names numbers_may_include = {"cmath", "compare", "complex", "cstdint", "limits", "type_traits"};

bool contains(const names& all, std::string_view one) { return std::find(all.begin(), all.end(), one) != all.end(); }

bool starts_with_any(std::string_view path, const names& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return path.starts_with(p); });
}

// Files whose code is compiled for one instruction-set level.
bool is_kernel(std::string_view path) {
  if (path.starts_with("backends/host/level_")) return true;
  return path.starts_with("include/flowgraph/ops/kernel/") && !contains(kernel_gateways, path);
}

// The layer of a path below the source tree.
std::string layer_of(std::string_view path) {
  const std::string_view root = "include/flowgraph/";
  if (!path.starts_with(root)) {
    const auto depth = path.starts_with("backends/") ? path.find('/', 9) : path.find('/');
    return std::string(path.substr(0, depth));
  }
  if (path == "include/flowgraph/flowgraph.hpp") return "umbrella";
  if (path == "include/flowgraph/implementation.hpp") return "implementation";
  if (is_kernel(path)) return "ops/kernel";
  const std::string_view below = path.substr(root.size());
  const auto slash = below.find('/');
  return slash == std::string_view::npos ? "base" : std::string(below.substr(0, slash));
}

const layer_rule* find_layer(std::string_view name) {
  const auto found = std::find_if(layers.begin(), layers.end(), [&](const layer_rule& rule) { return rule.layer == name; });
  return found == layers.end() ? nullptr : &*found;
}

// The category of an op's header; empty elsewhere.
std::string category_of(std::string_view path) {
  const std::string_view root = "include/flowgraph/ops/";
  if (!path.starts_with(root) || is_kernel(path) || contains(kernel_gateways, path)) return {};
  const std::string_view below = path.substr(root.size());
  if (contains(operators, below)) return "operators";
  const auto slash = below.find('/');
  return slash == std::string_view::npos || below.starts_with("impl/") ? "lists" : std::string(below.substr(0, slash));
}

std::string folder_of(std::string_view path) { return fs::path(path).parent_path().generic_string(); }
bool is_body(std::string_view path) {
  const std::string folder = fs::path(folder_of(path)).filename().string();
  return folder == "detail" || folder == "impl";
}
// Where the headers stand whose bodies are in detail/ and impl/.
std::string home_of(std::string_view path) { return is_body(path) ? folder_of(folder_of(path)) : folder_of(path); }

// What a line says beside its comment.
std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] == '\\') ++i;
    else if (line[i] == '"') quoted = !quoted;
    else if (!quoted && line.substr(i, 2) == "//") return line.substr(0, i);
  }
  return line;
}

struct include_line {
  std::string name;
  bool quoted = false;
};

std::optional<include_line> parse(std::string_view line) {
  const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skip_blanks();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return {};
  line.remove_prefix(7);
  skip_blanks();
  if (line.empty() || (line[0] != '<' && line[0] != '"')) return {};
  const bool quoted = line[0] == '"';
  const auto end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return {};
  return include_line{std::string(line.substr(1, end - 1)), quoted};
}

// Tarjan's strongly connected components: the loops of a graph of includes.
class loop_finder {
public:
  using graph = std::map<std::string, std::set<std::string>>;
  explicit loop_finder(const graph& g) : graph_(g) {
    for (const auto& [file, targets] : g)
      if (!order_.contains(file)) visit(file);
  }
  std::vector<std::vector<std::string>> loops;  // of two files or more, each in alphabetical order

private:
  std::size_t visit(const std::string& file) {
    const std::size_t mine = order_[file] = order_.size() + 1;
    std::size_t lowest = mine;
    open_.push_back(file);
    for (const std::string& target : graph_.at(file)) {
      if (!graph_.contains(target)) continue;
      if (!order_.contains(target)) lowest = std::min(lowest, visit(target));
      else if (std::find(open_.begin(), open_.end(), target) != open_.end()) lowest = std::min(lowest, order_[target]);
    }
    if (lowest < mine) return lowest;
    const auto first = std::find(open_.begin(), open_.end(), file);
    std::vector<std::string> loop(first, open_.end());
    open_.erase(first, open_.end());
    std::sort(loop.begin(), loop.end());
    if (loop.size() > 1) loops.push_back(std::move(loop));
    return lowest;
  }

  const graph& graph_;
  std::map<std::string, std::size_t> order_;
  std::vector<std::string> open_;
};

class checker {
public:
  struct limits {
    std::size_t upward = upward_allowed, files = files_allowed;
  };
  checker(fs::path root, limits allowed) : root_(std::move(root)), allowed_(allowed) {}

  void check_tree() {
    for (const char* top : {"include", "backends", "examples", "bench", "programs", "tests"}) {
      if (!fs::exists(root_ / top)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root_ / top))
        if (entry.is_regular_file()) paths_.push_back(entry.path().lexically_relative(root_).generic_string());
    }
    std::sort(paths_.begin(), paths_.end());
    for (const std::string& path : paths_) find_ops(path);
    for (const std::string& path : paths_) check_file(path);
    check_loops();
    check_folders();
    if (upward_.size() > allowed_.upward)
      for (const std::string& line : upward_) ++wrong_, std::printf("%s", line.c_str());
  }

  int report() const {
    std::printf("%zu upward includes between categories of ops, %zu allowed\n", upward_.size(), allowed_.upward);
    std::printf("%zu files in the fullest folder, %zu allowed\n", fullest_, allowed_.files);
    std::printf("%zu includes in %zu files, %zu faults\n", includes_, files_, wrong_);
    return includes_ > 0 && wrong_ == 0 ? 0 : 1;
  }

private:
  void check_file(const std::string& path) {
    const std::string extension = fs::path(path).extension().string();
    if (!contains({".hpp", ".h", ".cpp", ".cu", ".cuh", ".inc"}, extension)) return;
    if (path.starts_with("tests/layering/fixture/")) return;
    ++files_;
    ++files_in_[folder_of(path)];
    path_ = path;
    line_ = 1;
    if (find_layer(layer_of(path)) == nullptr) return wrong("'" + layer_of(path) + "' is no layer");

    const bool is_ours = path.starts_with("include/");
    line_ = 0;
    std::ifstream in(root_ / path);
    std::vector<std::pair<std::size_t, std::string>> behind_code;  // includes
    bool has_code = false, continues = false;
    for (std::string text; std::getline(in, text);) {
      ++line_;
      const bool is_directive = continues || text.find_first_not_of(" \t") == text.find('#');
      continues = is_directive && text.ends_with('\\');
      if (const auto include = parse(text)) {
        ++includes_;
        include->quoted ? check_quoted(include->name) : check_rooted(include->name);
        if (is_ours) includes_of_[path].insert("include/" + include->name);
        if (is_ours && has_code) behind_code.emplace_back(line_, include->name);
        check_category(include->name);
      } else if (const std::string_view code = without_comment(text);
                 !is_directive && code.find_first_not_of(" \t") != std::string_view::npos) {
        has_code = true;
        for (const auto& [line, name] : behind_code) wrong("<" + name + "> stands in the middle of a header", line);
        behind_code.clear();
        check_names(code);
      }
    }
    for (const auto& [line, name] : behind_code) check_end(name, line);
  }

  // A header's end brings its bodies, and macros that its beginning has put away.
  void check_end(const std::string& name, std::size_t line) {
    if (name == "flowgraph/show_names.hpp") return;
    const std::string target = "include/" + name;
    if (std::ranges::find(gradients, target) == std::end(gradients) && !brings(path_, target) &&
        !(is_body(target) && home_of(target) == home_of(path_)))
      wrong("<" + name + "> is no body of this header, and belongs to its beginning", line);
  }

  void find_ops(const std::string& path) {
    if (!path.starts_with("include/flowgraph/ops/")) return;
    std::ifstream in(root_ / path);
    const std::string_view declares = "std::string_view name = \"";
    for (std::string text; std::getline(in, text);) {
      const std::string_view code = without_comment(text);
      const auto at = code.find(declares);
      if (at == std::string_view::npos) continue;
      const auto first = at + declares.size();
      ops_.emplace(code.substr(first, code.find('"', first) - first));
    }
  }

  void check_names(std::string_view code) {
    if (!path_.starts_with("include/") || !contains(nameless_layers, layer_of(path_))) return;
    for (auto first = code.find('"'); first != std::string_view::npos;) {
      const auto last = code.find('"', first + 1);
      if (last == std::string_view::npos) return;
      const std::string text(code.substr(first + 1, last - first - 1));
      if (ops_.contains(text)) wrong("the op \"" + text + "\" is known by its name: ask the table what it does");
      first = code.find('"', last + 1);
    }
  }

  void check_category(const std::string& name) {
    const std::string from = category_of(path_), to = category_of("include/" + name);
    if (from.empty() || to.empty()) return;
    const auto rank = [](const std::string& c) {
      return std::find(categories.begin(), categories.end(), c) - categories.begin();
    };
    for (const std::string& c : {from, to})
      if (!contains(categories, c)) return wrong("'" + c + "' has no place in the order of the categories of ops");
    if (rank(to) > rank(from))
      upward_.push_back(path_ + ":" + std::to_string(line_) + ": " + from + " stands below " + to + ", and includes <" + name +
                        ">\n");
  }

  // Fine: one header and its bodies.
  void check_loops() {
    auto graph = includes_of_;
    for (auto& [file, targets] : graph)
      for (const std::string_view g : gradients) targets.erase(std::string(g));
    for (const auto& loop : loop_finder(graph).loops) {
      names headers;
      bool is_one_family = true;
      for (const std::string& file : loop) {
        if (!is_body(file)) headers.push_back(std::string_view(file).substr(std::string_view("include/flowgraph/").size()));
        is_one_family = is_one_family && home_of(file) == home_of(loop[0]);
      }
      if (headers.size() <= 1 && is_one_family) continue;
      path_ = loop[0];
      std::string all;
      for (const std::string_view file : headers) all += (all.empty() ? "" : ", ") + std::string(file);
      wrong("these headers include each other: " + all, 1);
    }
  }

  void check_folders() {
    for (const auto& [folder, files] : files_in_) {
      fullest_ = std::max(fullest_, files);
      if (files <= allowed_.files) continue;
      ++wrong_;
      std::printf("%s: %zu files, %zu allowed in one folder\n", folder.c_str(), files, allowed_.files);
    }
  }

  // A file that stands beside its includer: tests, benchmarks and backends have some, the library has none.
  void check_quoted(const std::string& name) {
    const std::string target = (fs::path(path_).parent_path() / name).lexically_normal().generic_string();
    const std::string layer = layer_of(path_);
    const bool may_have_neighbours =
        layer == "tests" || layer == "bench" || layer == "examples" || layer == "programs" || layer.starts_with("backends/");
    if (!may_have_neighbours || layer_of(target) != layer || is_kernel(path_))
      wrong("\"" + name + "\" is not rooted: say <flowgraph/...>");
  }

  void check_rooted(const std::string& name) {
    if (name.starts_with("flowgraph/")) return check_layer(name);
    for (const auto& [prefix, allowed_below] : third_parties)
      if (name.starts_with(prefix) && !starts_with_any(path_, allowed_below)) return wrong("<" + name + "> has no place here");
    if (is_kernel(path_) && !contains(kernel_may_include, name)) wrong("kernel code may not include <" + name + ">");
    if (path_.starts_with(functors) && !contains(path_ == numbers ? numbers_may_include : functors_may_include, name))
      wrong("functors may not include <" + name + ">");
  }

  void check_layer(const std::string& name) {
    // One is a user's, the other is written by the build.
    if (name == "flowgraph/user_config.hpp" && path_ == "include/flowgraph/config.hpp") return;
    if (name == "flowgraph/table_sources.hpp" && path_ == "include/flowgraph/op/stored.hpp") return;
    const std::string target = "include/" + name;
    if (brings(path_, target)) return;
    const std::string from = layer_of(path_);
    const std::string to = layer_of(target);
    const bool is_outside = name != "flowgraph/config.hpp" && !name.ends_with("_names.hpp") && !target.starts_with(functors);
    if (is_kernel(path_) && ((to != "ops/kernel" && is_outside) || target == numbers))
      return wrong("kernel code may not include <" + name + ">");
    if (path_.starts_with(functors) && is_outside) return wrong("functors may not include <" + name + ">");
    if (name.find("/impl/") != std::string::npos && from != "backends/host" && from != to)
      return wrong("<" + name + "> may be included only by its own layer and by backends/host");
    if (find_layer(to) == nullptr) return wrong("<" + name + "> is in no layer");
    const names& allowed = find_layer(from)->may_include;
    if (from != to && !contains(allowed, to) && !contains(allowed, "everything"))
      wrong("layer " + from + " may not include <" + name + ">");
  }

  void wrong(const std::string& why) { wrong(why, line_); }
  void wrong(const std::string& why, std::size_t line) {
    ++wrong_;
    std::printf("%s:%zu: %s\n", path_.c_str(), line, why.c_str());
  }

  fs::path root_;
  std::vector<std::string> paths_;
  std::map<std::string, std::set<std::string>> includes_of_;
  std::set<std::string> ops_;
  std::vector<std::string> upward_;              // as reported
  std::map<std::string, std::size_t> files_in_;  // by folder
  std::size_t fullest_ = 0;
  limits allowed_;
  std::string path_;
  std::size_t line_ = 0;
  std::size_t includes_ = 0;
  std::size_t files_ = 0;
  std::size_t wrong_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  checker::limits allowed;
  const auto is_number = [&](int at, std::size_t& value) {
    const std::string_view given = arguments[at];
    const auto parsed = std::from_chars(given.data(), given.data() + given.size(), value);
    return parsed.ec == std::errc{} && parsed.ptr == given.data() + given.size();
  };
  if ((count != 2 && count != 4) || (count == 4 && !(is_number(2, allowed.upward) && is_number(3, allowed.files)))) {
    std::fprintf(stderr, "usage: layering <source tree> [upward includes allowed, files allowed per folder]\n");
    return 2;
  }
  checker all(arguments[1], allowed);
  all.check_tree();
  return all.report();
}
