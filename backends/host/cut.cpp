// Plans that are cut between devices: linked only into programs that name a cut.
#include <flowgraph/runtime/parts/impl/exchange.hpp>
#include <flowgraph/runtime/parts/impl/exchange_tables.hpp>
#include <flowgraph/runtime/parts/impl/partitioned_runner.hpp>
#include <flowgraph/runtime/parts/impl/partitioner.hpp>
#include <flowgraph/runtime/parts/impl/rendezvous.hpp>
