// Plans that are cut between devices, and joint runs: linked only into programs that use one of them.
#include <flowgraph/runtime/impl/joint_run.hpp>
#include <flowgraph/runtime/impl/named_counters.hpp>
#include <flowgraph/runtime/parts/impl/driver.hpp>
#include <flowgraph/runtime/parts/impl/exchange.hpp>
#include <flowgraph/runtime/parts/impl/exchange_tables.hpp>
#include <flowgraph/runtime/parts/impl/partitioned_runner.hpp>
#include <flowgraph/runtime/parts/impl/partitioner.hpp>
#include <flowgraph/runtime/parts/impl/rendezvous.hpp>
