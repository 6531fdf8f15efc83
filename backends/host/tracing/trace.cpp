// How traces are shown. Programs that name no trace_recorder do not link it.
#include <flowgraph/observe/impl/chrome_trace.hpp>
#include <flowgraph/observe/impl/trace.hpp>
#include <flowgraph/observe/impl/trace_tables.hpp>
