// The tools that find faults in models: built for size, and linked only into programs that use one of them.
#include <flowgraph/observe/impl/configurations.hpp>
#include <flowgraph/observe/impl/constant_objective.hpp>
#include <flowgraph/observe/impl/difference.hpp>
#include <flowgraph/observe/impl/gradient_check.hpp>
#include <flowgraph/observe/impl/graph_part.hpp>
#include <flowgraph/observe/impl/model_account.hpp>
#include <flowgraph/observe/impl/not_finite.hpp>
#include <flowgraph/observe/impl/recorded_run.hpp>
#include <flowgraph/observe/impl/side_by_side.hpp>
#include <flowgraph/observe/impl/watched_run.hpp>
