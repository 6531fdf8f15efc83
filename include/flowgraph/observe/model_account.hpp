#pragma once
// Parameters and multiply-adds of a model by scope, and against what the model's description states: a layer that was broadcast, doubled or
// left out shows in its numbers.
//
//     const auto account = fg::account_of(g, {logits}, {{x, {32, 784}}}).value();
//     std::fputs(fg::to_text(account).c_str(), stdout);
//     for (const std::string& fault : fg::faults_of(account, {{"dense_1", 784 * 100 + 100, 32 * 784 * 100}})) std::puts(fault.c_str());

#include <flowgraph/runtime/session.hpp>

#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A scope with all below it, or a node that stands in no scope below.
struct account_row {
  std::string scope = {};  // empty: the whole
  std::size_t nodes = 0;
  std::uint64_t parameters = 0;     // elements of the variables that are needed, wherever they are read
  std::uint64_t multiply_adds = 0;  // of products of matrices, convolutions and the like: a run, for the shapes that are fed
  double operations = 0;    // of all nodes: products as two a multiply-add, others as their ops declare, else one per element
  std::size_t unknown = 0;  // nodes whose shapes are not known: they are counted nowhere else
};

struct model_account {
  std::vector<account_row> rows;      // scopes in order of the tree: the whole first, each before those in it
  std::vector<std::string> unknown;   // names of the nodes whose shapes are not known: give shapes of more feeds
  std::vector<std::string> in_loops;  // names of loops: their nodes are counted as if they ran once

  const account_row* find(std::string_view scope) const;
};

// Of what the outputs need. Shapes of feeds say how large a batch is; edges inside can be fed as well, and then what is before them does
// not count. Variables of optimizers and averages count where the outputs need them.
result<model_account> account_of(const graph& g, std::span<const any_out> outputs, std::span<const fed_shape> feeds = {});
inline result<model_account> account_of(const graph& g, std::initializer_list<any_out> outputs,
                                        std::initializer_list<fed_shape> feeds = {}) {
  return account_of(g, std::span(outputs.begin(), outputs.size()), std::span(feeds.begin(), feeds.size()));
}

// A table: scopes down to `depth`.
std::string to_text(const model_account& account, int depth = 3);

// What a description of the model says of a scope.
struct stated_scope {
  std::string scope = {};
  std::optional<std::uint64_t> parameters = {}, multiply_adds = {};
};

// A line for each number that is not as stated, and for each scope that there is not.
std::vector<std::string> faults_of(const model_account& account, std::span<const stated_scope> stated);
inline std::vector<std::string> faults_of(const model_account& account, std::initializer_list<stated_scope> stated) {
  return faults_of(account, std::span(stated.begin(), stated.size()));
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/model_account.hpp>
#endif
