#include <flowgraph/runtime/impl/call.hpp>
#include <flowgraph/runtime/impl/executor.hpp>
#include <flowgraph/runtime/impl/frame.hpp>
#include <flowgraph/runtime/impl/propagation.hpp>
#include <flowgraph/runtime/impl/watch.hpp>
