// What traced runs write down, and how it is shown. Programs that name no trace_recorder do not link it.
#include <flowgraph/observe/impl/chrome_trace.hpp>
#include <flowgraph/observe/impl/trace.hpp>
#include <flowgraph/observe/impl/trace_tables.hpp>
#include <flowgraph/runtime/tracing/impl/run_recording.hpp>
#include <flowgraph/runtime/tracing/impl/trace_log.hpp>
#include <flowgraph/runtime/tracing/impl/traced_driving.hpp>
