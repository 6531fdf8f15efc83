#pragma once
// Weights to a file and back by means of every session: variables are fetched, and restored by feeding the edges that their
// initializers read. The file holds, for each variable in turn, its name, its number of elements and the elements.

#include <flowgraph/runtime/session.hpp>

#include <fstream>
#include <string>
#include <vector>

using weight_list = std::vector<flowgraph::variable<float>>;

inline bool save_weights(flowgraph::session& s, const weight_list& weights, const std::string& path) {
  const std::vector<flowgraph::any_out> edges(weights.begin(), weights.end());
  auto values = s.try_run(flowgraph::run_request{.fetches = edges});
  if (!values) return false;
  std::ofstream file(path, std::ios::binary);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const flowgraph::any_tensor& value = (*values)[i];
    file << edges[i].name() << ' ' << value.size() << '\n';
    file.write(static_cast<const char*>(value.data()), static_cast<std::streamsize>(value.bytes()));
  }
  return file.good();
}

// Gives the variables the values of the file; false when it is not about them.
inline bool load_weights(flowgraph::session& s, const weight_list& weights, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<flowgraph::fed> feeds;
  std::vector<flowgraph::target> initializers;
  for (const auto& w : weights) {
    flowgraph::tensor<float> value(w.shape());
    std::string name;
    std::size_t size = 0;
    file >> name >> size;
    if (name != w.name() || size != value.size() || file.get() != '\n') return false;
    file.read(reinterpret_cast<char*>(value.writable().data()), static_cast<std::streamsize>(size * sizeof(float)));
    const flowgraph::edge initial = w.initializer->inputs[1];
    feeds.emplace_back(flowgraph::any_out{initial.from, initial.port}, std::move(value).erased());
    initializers.push_back(w.initializer);
  }
  return file.good() && s.try_run(flowgraph::run_request{.feeds = feeds, .targets = initializers});
}
