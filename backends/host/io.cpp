// Graphs as plain values: built for size, and linked only into programs that store or send graphs.
#include <flowgraph/io/impl/graph_record.hpp>
#include <flowgraph/io/impl/planned_record.hpp>
