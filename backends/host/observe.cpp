#include <flowgraph/observe/impl/described_graph.hpp>
#include <flowgraph/observe/impl/event_writer.hpp>
#include <flowgraph/observe/impl/node_call.hpp>
