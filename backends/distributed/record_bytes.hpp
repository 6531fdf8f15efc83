#pragma once
// Graphs as bodies of frames: numbers and text as bytes, and tensors that travel beside them.

#include "bytes.hpp"

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/io/graph_record.hpp>

#include <span>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// Adds the tensors of attributes to `tensors`, whose memory they share.
void write_graph(byte_writer& to, recycled_tensors& tensors, const graph_record& graph);
// What makes no sense leaves the reader not ok().
graph_record read_graph(byte_reader& from, std::span<const any_tensor> tensors);

void write_edges(byte_writer& to, std::span<const edge_record> edges);
std::vector<edge_record> read_edges(byte_reader& from);
void write_numbers(byte_writer& to, std::span<const std::uint32_t> numbers);
std::vector<std::uint32_t> read_numbers(byte_reader& from);

// With node, op, line and causes.
void write_error(byte_writer& to, const error& why);
error read_error(byte_reader& from);

}
}
}  // namespace flowgraph::distributed
