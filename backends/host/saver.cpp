// Saving: not linked into programs that save no variables.
#include <flowgraph/train/impl/checkpoint_hook.hpp>
#include <flowgraph/train/impl/saver.hpp>
#include <flowgraph/train/impl/state_bytes.hpp>
#include <flowgraph/train/impl/weights.hpp>
