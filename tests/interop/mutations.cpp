// Files that nobody meant to write: mutations of good ones, the same in each run. tests/fuzz looks further.

#include "function_graphs.hpp"
#include "graph_mutations.hpp"
#include "graph_runs.hpp"

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace fg = flowgraph;

namespace {

// How many files each test makes: FLOWGRAPH_TEST_MUTATIONS.
const std::size_t rounds = [] {
  const char* const said = std::getenv("FLOWGRAPH_TEST_MUTATIONS");
  return static_cast<std::size_t>(said ? std::max(100, std::atoi(said)) : 4000);
}();

// Bytes changed, cut out, put in and doubled.
std::string mutated(std::string file, std::mt19937& random) {
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (std::size_t changes = 1 + below(4); changes > 0 && !file.empty(); --changes) {
    const std::size_t at = below(file.size()), n = std::min(1 + below(16), file.size() - at);
    switch (below(5)) {
      case 0: file[at] = static_cast<char>(random()); break;
      case 1: file[at] = static_cast<char>(file[at] ^ (1 << below(8))); break;
      case 2: file.erase(at, n); break;
      case 3: file.insert(at, file.substr(below(file.size()), n)); break;
      case 4: file.resize(at); break;
    }
  }
  return file;
}

template <class F> void mutate(const std::string& file, F&& target) {
  target(fuzz_targets::bytes_of(file));
  std::mt19937 random(1);
  for (std::size_t i = 0; i < rounds; ++i) target(fuzz_targets::bytes_of(mutated(file, random)));
}

std::string training_graph(bool text) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 8});
  const auto t = g.placeholder<std::int32_t>("t", {fg::any});
  const auto w = g.variable("w", fg::glorot_uniform<float>({8, 3}));
  const auto logits = fg::matmul(x, w) + g.variable("b", fg::tensor<float>({3}, {1, 2, 3}));
  fg::adam{}.minimize(fg::mean(fg::sparse_softmax_cross_entropy(logits, t)));
  const fg::graph_def file = fg::export_graph(g).value();
  return (text ? fg::write_graph_def_text(file) : fg::write_graph_def(file)).value();
}

}  // namespace

TEST_CASE("mutated files: tensors") {
  mutate(fg::write_tensor(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}).erased()).value(), fuzz_targets::tensor_proto);
  mutate(fg::write_tensor(fg::tensor<std::string>({3}, {"a", "bc", ""}).erased()).value(), fuzz_targets::tensor_proto);
  mutate(fg::write_tensor(fg::tensor<fg::complex128>({2}, {{1, 2}, {1, 2}}).erased()).value(), fuzz_targets::tensor_proto);
  mutate(fg::write_tensor(fg::tensor<std::int64_t>(-3).erased()).value(), fuzz_targets::tensor_proto);
}

TEST_CASE("mutated files: graphs") { mutate(training_graph(false), fuzz_targets::graph_def); }

TEST_CASE("mutated files: graphs that are imported and run") {
  mutate(training_graph(false), fuzz_targets::graph_def_runs);
  mutate(fg::write_graph_def(fg::read_graph_def_text(function_graphs::if_in_while).value()).value(),
         fuzz_targets::graph_def_runs);
}

TEST_CASE("changed graphs: what nodes say of themselves and of each other stops being true") {
  const std::string files[] = {training_graph(false),
                               fg::write_graph_def(fg::read_graph_def_text(function_graphs::if_in_while).value()).value()};
  fuzz_targets::run_counts counts;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    fuzz_targets::random_values random(seed);
    fg::graph_def graph = fg::read_graph_def(fuzz_targets::bytes_of(files[seed % 2])).value();
    fuzz_targets::graph_mutations(random).change(graph);
    fuzz_targets::run_graph({std::move(graph), {}}, random, {}, counts);
  }
  CHECK(counts.refused > rounds / 10);
  CHECK(counts.imported > rounds / 10);
  CHECK(counts.answered > 0);
}

TEST_CASE("mutated files: graphs as text") { mutate(training_graph(true), fuzz_targets::graph_def_text); }

TEST_CASE("mutated files: saved models") {
  const std::string graph = training_graph(false);
  std::string size;
  for (std::size_t n = graph.size(); n > 0; n >>= 7) size += static_cast<char>((n & 127) | (n > 127 ? 128 : 0));
  mutate("\x12" + size + graph, fuzz_targets::saved_model);
}

TEST_CASE("mutated files: graphs with functions") {
  mutate(fg::write_graph_def(fg::read_graph_def_text(function_graphs::if_in_while).value()).value(), fuzz_targets::graph_def);
}
