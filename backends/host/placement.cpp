// Placement by cost: built for size, and linked only into programs that use it.
#include <flowgraph/placement/impl/cost_model.hpp>
#include <flowgraph/placement/impl/cost_placement.hpp>
#include <flowgraph/placement/impl/placer.hpp>
#include <flowgraph/placement/impl/simulation.hpp>
#include <flowgraph/placement/impl/measurements.hpp>
#include <flowgraph/runtime/queue/impl/measured_driving.hpp>
#include <flowgraph/runtime/impl/placement_policy.hpp>
