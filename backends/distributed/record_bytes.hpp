#pragma once
// Writes graphs as bodies of frames: numbers and text as bytes, and tensors beside the body.

#include "bytes.hpp"

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/io/graph_record.hpp>

#include <span>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Writes the graph. Adds the tensors of its attributes to `tensors`; they share memory with the graph.
void write_graph(byte_writer& to, recycled_tensors& tensors, const graph_record& graph);
// Reads a graph. If the bytes are invalid, the reader is not ok() afterwards.
graph_record read_graph(byte_reader& from, std::span<const any_tensor> tensors);

void write_edges(byte_writer& to, std::span<const edge_record> edges);
std::vector<edge_record> read_edges(byte_reader& from);
void write_numbers(byte_writer& to, std::span<const std::uint32_t> numbers);
std::vector<std::uint32_t> read_numbers(byte_reader& from);

// Writes an error with node, op, line and causes.
void write_error(byte_writer& to, const error& why);
error read_error(byte_reader& from);

}  // namespace flowgraph::distributed
