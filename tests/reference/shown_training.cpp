// The full entries of the reference: optimizers, help for training, training loops, checkpoints.

#include "shown.hpp"

#include <flowgraph/flowgraph.hpp>

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/input/batch.hpp>
#include <flowgraph/ops/math/clip.hpp>
#include <flowgraph/train/accumulate_gradients.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/adamw.hpp>
#include <flowgraph/train/checkpoint_hook.hpp>
#include <flowgraph/train/click_models.hpp>
#include <flowgraph/train/clip.hpp>
#include <flowgraph/train/ftrl.hpp>
#include <flowgraph/train/lazy_adam.hpp>
#include <flowgraph/train/loss_scale.hpp>
#include <flowgraph/train/metrics.hpp>
#include <flowgraph/train/moving_average.hpp>
#include <flowgraph/train/proximal.hpp>
#include <flowgraph/train/queue_runner.hpp>
#include <flowgraph/train/recovery_hook.hpp>
#include <flowgraph/train/replicate.hpp>
#include <flowgraph/train/rms_prop.hpp>
#include <flowgraph/train/samples.hpp>
#include <flowgraph/train/saved_click_model.hpp>
#include <flowgraph/train/saver.hpp>
#include <flowgraph/train/rate_schedule.hpp>
#include <flowgraph/train/rate_schedule_hook.hpp>
#include <flowgraph/train/scopes.hpp>
#include <flowgraph/train/screen_gradients.hpp>
#include <flowgraph/train/state_bytes.hpp>
#include <flowgraph/train/training_hooks.hpp>
#include <flowgraph/train/weights.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace fg = flowgraph;

#include "shown/checkpoints.hpp"
#include "shown/clicks.hpp"
#include "shown/optimizers.hpp"
#include "shown/training.hpp"
#include "shown/training_loops.hpp"
