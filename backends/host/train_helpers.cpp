// Helpers for training: not linked into programs that use only an optimizer.
#include <flowgraph/train/impl/coordinator.hpp>
#include <flowgraph/train/impl/loss_scale.hpp>
#include <flowgraph/train/impl/moving_average.hpp>
#include <flowgraph/train/impl/queue_runner.hpp>
#include <flowgraph/train/impl/replicate.hpp>
#include <flowgraph/train/impl/rate_schedule_hook.hpp>
#include <flowgraph/train/impl/scopes.hpp>
#include <flowgraph/train/impl/training_hooks.hpp>
#include <flowgraph/train/impl/training_loop.hpp>
