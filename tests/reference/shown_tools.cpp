// The full entries of the reference: traces, tools that find faults, plans, devices, clusters.

#include "shown.hpp"

#include <flowgraph/flowgraph.hpp>

#include <flowgraph/distributed/cluster.hpp>
#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/distributed/frame_limits.hpp>
#include <flowgraph/distributed/launch.hpp>
#include <flowgraph/distributed/simulated_network.hpp>
#include <flowgraph/distributed/task.hpp>
#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/distributed/tls.hpp>
#include <flowgraph/distributed/token.hpp>
#include <flowgraph/graph/summary.hpp>
#include <flowgraph/observe/configurations.hpp>
#include <flowgraph/observe/constant_objective.hpp>
#include <flowgraph/observe/described_graph.hpp>
#include <flowgraph/observe/gradient_check.hpp>
#include <flowgraph/observe/graph_part.hpp>
#include <flowgraph/observe/model_account.hpp>
#include <flowgraph/observe/node_call.hpp>
#include <flowgraph/observe/not_finite.hpp>
#include <flowgraph/observe/recorded_run.hpp>
#include <flowgraph/observe/side_by_side.hpp>
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/op/device_kernel.hpp>
#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/lookup/keyed_rows.hpp>
#include <flowgraph/passes/arithmetic.hpp>
#include <flowgraph/placement/cost_placement.hpp>
#include <flowgraph/placement/delay_transfers.hpp>
#include <flowgraph/placement/save_memory.hpp>
#include <flowgraph/runtime/joint_run.hpp>
#include <flowgraph/train/recovery_hook.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fg = flowgraph;

#include "shown/clusters.hpp"
#include "shown/encryption.hpp"
#include "shown/faults.hpp"
#include "shown/lists_of_kernels.hpp"
#include "shown/lookup.hpp"
#include "shown/own_resources.hpp"
#include "shown/placement.hpp"
#include "shown/plans.hpp"
#include "shown/traces.hpp"
