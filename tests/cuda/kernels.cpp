// Every kernel of a GPU, by the samples of its op: what it computes equals the CPU's, on an emulated GPU under three seeds.

#include <flowgraph/ops/all.hpp>

#include "../harness/check.hpp"
#include "emulation/devices.hpp"

#include <flowgraph/cuda/cuda.hpp>
#include <flowgraph/graph/graph_state.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

namespace {

namespace fg = flowgraph;
using fg::cuda::accuracy;
using fg::cuda::kernel_form;

const fg::registry& registered_ops() {
  static const fg::registry made = [] {
    fg::registry r;
    fg::add_standard_ops(r).value();
    return r;
  }();
  return made;
}

bool is_of(const fg::cuda::kernel_record& k, const fg::op_table& t) {
  const auto types = t.element_types();
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t at = k.form == kernel_form::search || k.op == "TopKV2" ? 2 * i : i;  // a host type precedes the second
    if (k.types[i] != fg::dtype::invalid && (at >= types.size() || types[at] != k.types[i])) return false;
  }
  return k.op == t.name();
}
const fg::cuda::kernel_record* record_of(const fg::op_table& t) {
  for (const fg::cuda::kernel_record& k : emulation::kernels())
    if (is_of(k, t)) return &k;
  return nullptr;
}

// Forms whose results do not depend on an order of additions.
bool is_exact(kernel_form form) {
  switch (form) {
    case kernel_form::reduce:
    case kernel_form::bias_sum:
    case kernel_form::sum_of_squares:
    case kernel_form::product:
    case kernel_form::softmax:
    case kernel_form::loss_by_class:
    case kernel_form::loss_by_probability:
    case kernel_form::pool:
    case kernel_form::mean_pool_gradient:
    case kernel_form::convolution:
    case kernel_form::convolution_by_input:
    case kernel_form::convolution_by_filter:
    case kernel_form::scatter_slices:
    case kernel_form::batch_norm:
    case kernel_form::batch_norm_gradient:
    case kernel_form::scan:
    case kernel_form::add_n: return false;
    default: return true;
  }
}

double value_at(const fg::any_tensor& t, std::size_t i) {
  switch (t.type()) {
    case fg::dtype::float32: return static_cast<double>(t.as<float>()[i]);
    case fg::dtype::float64: return t.as<double>()[i];
    case fg::dtype::float16: return static_cast<double>(static_cast<float>(t.as<fg::half>()[i]));
    default: return std::nan("");
  }
}

// Returns the tolerance for the results of a kernel, relative to numbers of at least 1.
double tolerance_of(fg::dtype type, accuracy of_results) {
  const bool is_double = type == fg::dtype::float64;
  if (type != fg::dtype::float32 && !is_double) return 4e-3;
  switch (of_results) {
    case accuracy::bits: return is_double ? 1e-12 : 4e-6;
    case accuracy::library: return is_double ? 1e-10 : 1e-5;
    case accuracy::series: return is_double ? 1e-8 : 1e-4;
  }
  return 0;
}

// The same numbers; NaN equals NaN, and an infinity only itself.
bool is_close(const fg::any_tensor& a, const fg::any_tensor& b, accuracy of_results) {
  if (a.type() != b.type() || !(a.shape() == b.shape())) return false;
  if (harness::same_bits(a, b)) return true;
  const double tolerance = tolerance_of(a.type(), of_results);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = value_at(a, i), y = value_at(b, i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x == y) continue;
    if (!std::isfinite(x) || !std::isfinite(y) || !(std::abs(x - y) <= tolerance * std::max({1.0, std::abs(x), std::abs(y)})))
      return false;
  }
  return true;
}

// NaN may have another payload.
bool has_same_numbers(const fg::any_tensor& a, const fg::any_tensor& b) {
  if (harness::same_bits(a, b)) return true;
  if (a.type() != b.type() || !(a.shape() == b.shape())) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = value_at(a, i), y = value_at(b, i);
    if (!(std::isnan(x) && std::isnan(y)) && !(x == y && std::signbit(x) == std::signbit(y))) return false;
  }
  return true;
}

// Compares the results of a kernel. The emulated GPU calls the same functions of the C++ library as the CPU.
bool is_right(const fg::any_tensor& wanted, const fg::any_tensor& found, const fg::cuda::kernel_record& k, bool is_emulated) {
  const accuracy of_results = is_emulated ? accuracy::bits : k.of_results;
  if (is_exact(k.form) && of_results == accuracy::bits) return has_same_numbers(wanted, found);
  return is_close(wanted, found, of_results);
}

fg::result<harness::outcome> run_on_gpu(const harness::placed& p, const emulation::emulated& gpu, bool prepared) {
  for (fg::node* n : p.graph.state().nodes) n->device = "/gpu:0";
  fg::session s(p.graph, {.devices = gpu.devices, .soft_placement = true});
  if (!p.initializers.empty())
    if (auto made = s.try_run({p.initial_feeds, {}, p.initializers}); !made) return made.error();
  std::vector<fg::any_out> fetches = p.outputs();
  const fg::target itself = p.node;
  const std::span<const fg::target> targets(&itself, fetches.empty() ? 1 : 0);
  harness::outcome o;
  if (prepared) {
    std::vector<fg::any_out> edges;
    std::vector<fg::any_tensor> in;
    for (const fg::fed& f : p.feeds) edges.push_back(f.where), in.push_back(f.value);
    auto step = s.try_prepare(edges, fetches, targets);
    if (!step) return step.error();
    for (int rounds = p.node->op->stateful ? 1 : 2; rounds > 0; --rounds) {
      o.outputs.resize(fetches.size());
      if (const auto ran = step->try_run(in, o.outputs); !ran) return ran.error();
    }
  } else {
    auto made = s.try_run({p.feeds, fetches, targets});
    if (!made) return made.error();
    o.outputs = *std::move(made);
  }
  if (p.variables.empty()) return o;
  auto made = s.try_run({{}, p.variables, {}});
  if (!made) return made.error();
  o.variables = *std::move(made);
  return o;
}

// The GPUs of a test: an emulated GPU for each run, or one real GPU for all runs, because opening it takes long.
class gpus {
public:
  explicit gpus(bool has_libraries = false) : has_libraries_(has_libraries) {}
  bool is_emulated() const { return emulation::real_driver == nullptr; }
  bool has_libraries() const { return has_libraries_; }
  // Returns the ways of a run: 1: plain, 2: without known shapes, 3: prepared. A real GPU does the same in the first two.
  std::vector<std::uint64_t> seeds() const {
    return is_emulated() ? std::vector<std::uint64_t>{1, 2, 3} : std::vector<std::uint64_t>{2, 3};
  }
  const emulation::emulated& open(std::uint64_t seed) {
    if (is_emulated() || !gpu_)
      gpu_.emplace(emulation::try_open(seed, std::make_shared<emulation::state>(), {}, has_libraries_).value());
    return *gpu_;
  }

private:
  bool has_libraries_;
  std::optional<emulation::emulated> gpu_;
};

void compare_trial(harness::workshop& w, const harness::trial& t, const fg::cuda::kernel_record& k, harness::report& r,
                   gpus& all) {
  for (const std::uint64_t seed : all.seeds()) {
    auto p = harness::place(w, t, harness::values_of(t), seed == 2 ? harness::knowledge::nothing : harness::knowledge::shapes);
    if (!p) continue;
    const auto wanted = harness::run(w, *p, harness::way::plain);
    const emulation::emulated& gpu = all.open(seed);
    const std::uint64_t before = gpu.counts->launches;
    const auto found = run_on_gpu(*p, gpu, seed == 3);
    const auto is_same = [&](const fg::any_tensor& a, const fg::any_tensor& b) { return is_right(a, b, k, all.is_emulated()); };
    if (!r.expect(wanted.has_value() == found.has_value(), t, [&] {
          return std::string("seed ") + std::to_string(seed) + ": " + (wanted ? found.error().what() : "the GPU has no error");
        }))
      return;
    if (!wanted) {
      r.expect(wanted.error().code() == found.error().code(), t, [&] { return std::string(found.error().what()); });
      continue;
    }
    bool same = wanted->outputs.size() == found->outputs.size() && wanted->variables.size() == found->variables.size();
    for (std::size_t i = 0; same && i < wanted->outputs.size(); ++i) same = is_same(wanted->outputs[i], found->outputs[i]);
    for (std::size_t i = 0; same && i < wanted->variables.size(); ++i) same = is_same(wanted->variables[i], found->variables[i]);
    if (!r.expect(same, t, [&] { return "seed " + std::to_string(seed) + ": the results differ"; })) return;
    const bool has_elements = std::ranges::any_of(wanted->outputs, [](const fg::any_tensor& o) { return o.size() > 0; });
    const bool has_work = std::ranges::none_of(p->feeds, [](const fg::fed& f) { return f.value.size() == 0; });
    r.expect(gpu.counts->launches > before || all.has_libraries() || !has_elements || !has_work || k.form == kernel_form::add_n,
             t, [] { return std::string("no kernel of the GPU ran"); });
  }
}

// The rows of the table in docs/cuda.md: each op, and the element types for which it has a kernel.
std::string table_of_kernels() {
  std::map<std::string_view, std::vector<std::string_view>> types;
  for (const fg::cuda::kernel_record& k : emulation::kernels()) {
    auto& of_op = types[k.op];
    const std::string_view name = k.types[0] == fg::dtype::invalid ? "bool" : fg::name_of(k.types[0]);
    if (std::ranges::find(of_op, name) == of_op.end()) of_op.push_back(name);
  }
  std::string text;
  for (const auto& [op, names] : types) {
    text += "| " + std::string(op) + " |";
    constexpr std::size_t all = 15;
    if (names.size() == all) text += " all";
    for (std::size_t i = 0; i < names.size() && names.size() < all; ++i) text += (i ? ", " : " ") + std::string(names[i]);
    text += " |\n";
  }
  return text;
}

}  // namespace

TEST_CASE("docs/cuda.md has the list of kernels") {
  std::ifstream in(FLOWGRAPH_CUDA_PAGE);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const bool is_there = page.find(table_of_kernels()) != page.npos;
  CHECK_MESSAGE(is_there, "the table must be:\n" << table_of_kernels());
}

TEST_CASE("every kernel of a GPU is one of an op of the registry, for its types") {
  for (const fg::cuda::kernel_record& k : emulation::kernels()) {
    const std::string name(k.op);
    CAPTURE(name);
    CHECK(std::ranges::any_of(registered_ops().tables(k.op), [&](const fg::op_table* t) { return is_of(k, *t); }));
  }
  CHECK(emulation::kernels().size() < 2048);
}

TEST_CASE("kernels of a GPU compute what the CPU computes") {
  harness::workshop w(registered_ops());
  harness::report r;
  // FLOWGRAPH_TEST_ONE_SAMPLE: one sample per kernel, for tools that run kernels a thousand times slower.
  const bool one_sample = std::getenv("FLOWGRAPH_TEST_ONE_SAMPLE") != nullptr;
  // FLOWGRAPH_TEST_SECONDS: the time after which such a test ends.
  const char* const limit = std::getenv("FLOWGRAPH_TEST_SECONDS");
  const auto begin = std::chrono::steady_clock::now();
  const auto is_late = [&] { return limit && std::chrono::steady_clock::now() - begin > std::chrono::seconds(std::atoi(limit)); };
  gpus all;
  std::set<const fg::cuda::kernel_record*> sampled;
  std::set<std::string_view> compared;
  for (const harness::sample& s : harness::standard_samples())
    harness::for_each_trial(w, s, r, [&](const harness::trial& t) {
      const auto* const k = record_of(*t.table);
      if (!k || t.is_large() || is_late()) return;
      if (one_sample && !sampled.insert(k).second) return;
      compared.insert(s.op);
      compare_trial(w, t, *k, r, all);
    });
  for (const std::string& failure : r.failures()) FAIL_CHECK(failure);
  CHECK(r.failed() == 0);
  if (is_late()) {
    MESSAGE("out of time after ", compared.size(), " ops, ", sampled.size(), " of ", emulation::kernels().size(), " kernels");
    return;
  }
  for (const fg::cuda::kernel_record& k : emulation::kernels()) {
    const std::string name(k.op);
    CAPTURE(name);
    CHECK(compared.contains(k.op));
  }
  MESSAGE(compared.size(), " ops, ", r.checks(), " checks");
}

TEST_CASE("results of functions of the C++ library may differ in their last digits on a real GPU, other results may not") {
  const auto made = [](float x) { return fg::tensor<float>({2}, {x, 1}).erased(); };
  const auto record = [](std::string_view op) {
    return *std::ranges::find(emulation::kernels(), op, &fg::cuda::kernel_record::op);
  };
  const fg::any_tensor x = made(3), near = made(3 + 2e-5f), nan = made(std::nanf("")), infinite = made(HUGE_VALF);
  for (const std::string_view op : {"Sin", "BesselJ0", "ApplyFtrl", "ResourceSparseApplyFtrlV2"}) {
    CHECK(is_right(x, near, record(op), false));
    CHECK_FALSE(is_right(x, near, record(op), true));
    CHECK_FALSE(is_right(x, made(3.001f), record(op), false));
    CHECK_FALSE(is_right(infinite, x, record(op), false));
    CHECK_FALSE(is_right(x, infinite, record(op), false));
    CHECK_FALSE(is_right(nan, x, record(op), false));
    CHECK(is_right(nan, nan, record(op), false));
  }
  CHECK(is_right(x, made(3.0002f), record("Zeta"), false));
  CHECK_FALSE(is_right(x, near, record("Exp"), false));
  CHECK_FALSE(is_right(x, near, record("ApplyAdam"), false));
  CHECK(fg::cuda::accuracy_of("RandomStandardNormal", fg::dtype::float32) == accuracy::bits);
  CHECK(fg::cuda::accuracy_of("TruncatedNormal", fg::dtype::float64) == accuracy::library);
}

TEST_CASE("products by a library compute what the CPU computes") {
  std::string library;
  {
    const auto opened = emulation::try_open(1, std::make_shared<emulation::state>(), {}, true);
    if (!opened) {
      MESSAGE(std::string(opened.error().what()));
      return;
    }
    library = fg::cuda::libraries_of(opened->devices[0]);
  }
  gpus all(true);
  harness::workshop w(registered_ops());
  harness::report r;
  for (const harness::sample& s : harness::standard_samples())
    harness::for_each_trial(w, s, r, [&](const harness::trial& t) {
      const auto* const k = record_of(*t.table);
      if (k && k->form == kernel_form::product && !t.is_large()) compare_trial(w, t, *k, r, all);
    });
  for (const std::string& failure : r.failures()) FAIL_CHECK(failure);
  CHECK(r.failed() == 0);
  CHECK(r.checks() > 0);
  MESSAGE(library, ", ", r.checks(), " checks");
}
