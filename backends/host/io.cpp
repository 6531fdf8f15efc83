// Graphs as plain values: built for size, and linked only into programs that keep graphs or send them.
#include <flowgraph/io/impl/graph_record.hpp>
#include <flowgraph/io/impl/planned_record.hpp>
