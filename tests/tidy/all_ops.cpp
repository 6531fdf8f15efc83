// Every op.

#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/rnn/attention_cell.hpp>
#include <flowgraph/ops/rnn/beam_search.hpp>
#include <flowgraph/ops/rnn/bidirectional.hpp>
