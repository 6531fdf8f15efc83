// Programs without threads that fill queues do not link it.
#include <flowgraph/train/impl/coordinator.hpp>
#include <flowgraph/train/impl/queue_runner.hpp>
