// The display of traces: not linked into programs without a trace_recorder.
#include <flowgraph/observe/impl/chrome_trace.hpp>
#include <flowgraph/observe/impl/trace.hpp>
#include <flowgraph/observe/impl/trace_tables.hpp>
