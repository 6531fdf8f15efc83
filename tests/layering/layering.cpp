// Reads every #include below a source tree and reports each one that goes in a wrong direction, as file:line.
//
// Usage: layering <source tree>. Prints nothing but a count and returns 0 where all is well.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
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
    {"core", {"base"}},
    {"op", {"base", "core"}},
    {"graph", {"base", "core", "op"}},
    {"passes", {"base", "core", "op", "graph"}},
    {"runtime", {"base", "core", "op", "graph", "passes"}},
    {"ops", {"base", "core", "op", "graph", "ops/kernel"}},
    {"ops/kernel", {"base"}},
    {"placement", {"base", "core", "op", "graph", "runtime"}},
    {"train", {"base", "core", "op", "graph", "ops", "runtime"}},
    {"deploy", {"base", "core", "op", "graph", "ops", "runtime"}},
    {"io", {"base", "core", "op", "graph", "runtime"}},
    {"interop", {"base", "core", "op", "graph", "runtime"}},
    {"observe", {"base", "core", "op", "graph", "runtime"}},
    {"distributed", {"base", "core", "op", "graph", "runtime"}},
    {"umbrella", {"base", "core", "op", "graph", "ops", "runtime", "passes", "placement", "train"}},
    {"implementation", {"base", "umbrella", "core", "op", "graph", "ops", "runtime", "passes", "placement", "train", "deploy"}},
    {"backends/host", {"everything"}},
    {"backends/tcp", {"base", "core", "op", "graph", "runtime", "distributed"}},
    {"backends/cuda", {"base", "core", "op"}},
    {"backends/interop", {"base", "core", "op", "graph", "runtime", "interop"}},
    {"examples", {"everything"}},
    {"bench", {"everything"}},
    {"tests", {"everything"}},
};

// Other people's headers, by how their names begin, and the only places that may see them.
struct third_party_rule {
  std::string_view prefix;
  names allowed_below;
};

const std::vector<third_party_rule> third_parties = {
    {"Eigen/", {"include/flowgraph/ops/detail/"}},
    {"unsupported/Eigen/", {"include/flowgraph/ops/detail/"}},
    {"asio", {"backends/tcp/"}},
    {"cereal/", {"include/flowgraph/io/"}},
    {"protozero/", {"backends/interop/", "include/flowgraph/observe/", "tests/conformance/"}},
    {"doctest", {"tests/"}},
    {"cuda", {"backends/cuda/"}},
    {"cublas", {"backends/cuda/"}},
    {"cudnn", {"backends/cuda/"}},
    {"nvrtc", {"backends/cuda/"}},
    {"boost/", {}},
    {"absl/", {}},
    {"google/", {}},
};

// Kernel code is compiled once per instruction-set level: any function it shared with the rest of a program could be the one that
// the linker keeps for every processor.
const names kernel_may_include = {"cstddef", "cstdint", "cpuid.h", "emmintrin.h", "immintrin.h", "arm_neon.h"};
const names kernel_gateways = {"include/flowgraph/ops/kernel/dispatch.hpp", "include/flowgraph/ops/kernel/scalar.hpp"};

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

class checker {
public:
  explicit checker(fs::path root) : root_(std::move(root)) {}

  void check_tree() {
    for (const char* top : {"include", "backends", "examples", "bench", "tests"}) {
      if (!fs::exists(root_ / top)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root_ / top))
        if (entry.is_regular_file()) paths_.push_back(entry.path().lexically_relative(root_).generic_string());
    }
    std::sort(paths_.begin(), paths_.end());
    for (const std::string& path : paths_) check_file(path);
  }

  int report() const {
    std::printf("%zu includes in %zu files, %zu of them wrong\n", includes_, files_, wrong_);
    return includes_ > 0 && wrong_ == 0 ? 0 : 1;
  }

private:
  void check_file(const std::string& path) {
    const std::string extension = fs::path(path).extension().string();
    if (!contains({".hpp", ".h", ".cpp", ".cu", ".cuh", ".inc"}, extension)) return;
    if (path.starts_with("tests/layering/fixture/")) return;
    ++files_;
    path_ = path;
    line_ = 1;
    if (find_layer(layer_of(path)) == nullptr) return wrong("'" + layer_of(path) + "' is no layer");

    line_ = 0;
    std::ifstream in(root_ / path);
    for (std::string text; std::getline(in, text);) {
      ++line_;
      if (const auto include = parse(text)) {
        ++includes_;
        include->quoted ? check_quoted(include->name) : check_rooted(include->name);
      }
    }
  }

  // A file that stands beside its includer: tests, benchmarks and backends have some, the library has none.
  void check_quoted(const std::string& name) {
    const std::string target = (fs::path(path_).parent_path() / name).lexically_normal().generic_string();
    const std::string layer = layer_of(path_);
    const bool may_have_neighbours = layer == "tests" || layer == "bench" || layer == "examples" || layer.starts_with("backends/");
    if (!may_have_neighbours || layer_of(target) != layer || is_kernel(path_))
      wrong("\"" + name + "\" is not rooted: say <flowgraph/...>");
  }

  void check_rooted(const std::string& name) {
    if (name.starts_with("flowgraph/")) return check_layer(name);
    for (const auto& [prefix, allowed_below] : third_parties)
      if (name.starts_with(prefix) && !starts_with_any(path_, allowed_below)) return wrong("<" + name + "> has no place here");
    if (is_kernel(path_) && !contains(kernel_may_include, name)) wrong("kernel code may not include <" + name + ">");
  }

  void check_layer(const std::string& name) {
    if (name == "flowgraph/user_config.hpp" && path_ == "include/flowgraph/config.hpp") return;
    const std::string target = "include/" + name;
    const std::string from = layer_of(path_);
    const std::string to = layer_of(target);
    if (is_kernel(path_) && to != "ops/kernel" && name != "flowgraph/config.hpp")
      return wrong("kernel code may not include <" + name + ">");
    if (name.find("/impl/") != std::string::npos && from != "backends/host" && from != to)
      return wrong("<" + name + "> may be included only by its own layer and by backends/host");
    if (find_layer(to) == nullptr) return wrong("<" + name + "> is in no layer");
    const names& allowed = find_layer(from)->may_include;
    if (from != to && !contains(allowed, to) && !contains(allowed, "everything"))
      wrong("layer " + from + " may not include <" + name + ">");
  }

  void wrong(const std::string& why) {
    ++wrong_;
    std::printf("%s:%zu: %s\n", path_.c_str(), line_, why.c_str());
  }

  fs::path root_;
  std::vector<std::string> paths_;
  std::string path_;
  std::size_t line_ = 0;
  std::size_t includes_ = 0;
  std::size_t files_ = 0;
  std::size_t wrong_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: layering <source tree>\n");
    return 2;
  }
  checker all(arguments[1]);
  all.check_tree();
  return all.report();
}
