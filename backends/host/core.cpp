// The functions of the engine's lowest layers that are not inline.
#include <flowgraph/core/impl/error.hpp>
#include <flowgraph/core/impl/message.hpp>
#include <flowgraph/core/impl/thread_pool.hpp>
#include <flowgraph/op/impl/attribute.hpp>
#include <flowgraph/op/impl/call_kernel.hpp>
#include <flowgraph/op/impl/container.hpp>
#include <flowgraph/op/impl/device_kernels.hpp>
#include <flowgraph/op/impl/device_name.hpp>
#include <flowgraph/op/impl/kernel.hpp>
#include <flowgraph/op/impl/kernel_set.hpp>
#include <flowgraph/op/impl/registry.hpp>
#include <flowgraph/op/impl/shape_rule.hpp>
#include <flowgraph/op/impl/table.hpp>
#include <flowgraph/op/impl/variable_set.hpp>
