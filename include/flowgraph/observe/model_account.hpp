#pragma once
// Counts the parameters and multiply-adds of a model by scope, and compares the counts with documented numbers. If a layer was
// broadcast, duplicated or omitted by mistake, the numbers differ.
//
//     const auto account = fg::account_of(g, {logits}, {{x, {32, 784}}}).value();
//     std::fputs(fg::to_text(account).c_str(), stdout);
//     for (const std::string& fault : fg::faults_of(account, {{"dense_1", 784 * 100 + 100, 32 * 784 * 100}})) std::puts(fault.c_str());

#include <flowgraph/runtime/session.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A scope with all nodes below it, or a single node that is not in a deeper scope.
struct account_row {
  std::string scope = {};           // empty: the whole model
  std::size_t nodes = 0;            // number of nodes
  std::uint64_t parameters = 0;     // number of elements of the needed variables, even if other scopes read them
  std::uint64_t multiply_adds = 0;  // multiply-adds of matrix products, convolutions and similar ops: per run, for the fed shapes
  double operations = 0;    // operations of all nodes: two per multiply-add, otherwise as the op declares, or one per element
  std::size_t unknown = 0;  // number of nodes with unknown shapes, which are not counted otherwise
};

// The counts of a model, by scope.
struct model_account {
  std::vector<account_row> rows;      // scopes in tree order: first the whole model, and each scope before the scopes inside it
  std::vector<std::string> unknown;   // names of nodes with unknown shapes; to avoid them, feed shapes for more edges
  std::vector<std::string> in_loops;  // names of loops: their nodes are counted as if they ran once

  // Returns the row of a scope, or null if it does not exist.
  const account_row* find(std::string_view scope) const;
};

// Counts all nodes that the outputs need. The shapes of feeds determine the batch size. Inner edges can be fed too; then the
// nodes before them are not counted. Variables of optimizers and averages are counted if the outputs need them.
result<model_account> account_of(const graph& g, std::span<const any_out> outputs, std::span<const fed_shape> feeds = {});
inline result<model_account> account_of(const graph& g, std::initializer_list<any_out> outputs,
                                        std::initializer_list<fed_shape> feeds = {}) {
  return account_of(g, std::span(outputs.begin(), outputs.size()), std::span(feeds.begin(), feeds.size()));
}

// Returns a table of the scopes down to `depth`.
std::string to_text(const model_account& account, int depth = 3);

// The documented counts of a scope.
struct stated_scope {
  std::string scope = {};                                            // name of the scope; empty: the whole model
  std::optional<std::uint64_t> parameters = {}, multiply_adds = {};  // documented counts; empty: not checked
};

// Returns a line for each number that differs, and for each scope that does not exist.
std::vector<std::string> faults_of(const model_account& account, std::span<const stated_scope> stated);
inline std::vector<std::string> faults_of(const model_account& account, std::initializer_list<stated_scope> stated) {
  return faults_of(account, std::span(stated.begin(), stated.size()));
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/model_account.hpp>
#endif
