// The records of traced runs. Linked by programs that name a trace_recorder, and by tasks of clusters.
#include <flowgraph/observe/impl/trace_collector.hpp>
#include <flowgraph/runtime/tracing/impl/run_recording.hpp>
#include <flowgraph/runtime/tracing/impl/trace_log.hpp>
#include <flowgraph/runtime/tracing/impl/traced_driving.hpp>
