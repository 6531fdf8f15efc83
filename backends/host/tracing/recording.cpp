// The records of traced runs: linked into programs that use a trace_recorder, and into tasks of clusters.
#include <flowgraph/observe/impl/trace_collector.hpp>
#include <flowgraph/runtime/tracing/impl/run_recording.hpp>
#include <flowgraph/runtime/tracing/impl/trace_log.hpp>
#include <flowgraph/runtime/tracing/impl/traced_driving.hpp>
