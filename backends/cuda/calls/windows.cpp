// Calls of pools and convolutions.
#include <cuda/calls/gpu_call.hpp>
#include <cuda/calls/layout.hpp>

#include <flowgraph/ops/nn/window.hpp>

#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

using numbers_of_axes = std::vector<std::int64_t>;

// The attributes of windows over images or volumes, and the positions of the axes.
class window_call {
public:
  explicit window_call(const gpu_call& c)
      : strides_(c.attribute<numbers_of_axes>("strides")), dilations_(c.attribute<numbers_of_axes>("dilations")),
        paddings_(c.attribute<numbers_of_axes>("explicit_paddings")),
        channels_first_(c.attribute<std::string>("data_format").starts_with("NC")) {
    const auto padding_name = c.attribute<std::string>("padding");
    padding_ = padding_name == "SAME" ? padding::same : padding_name == "VALID" ? padding::valid : padding::explicit_;
  }
  int rank() const { return static_cast<int>(strides_.size()); }
  int channel_axis() const { return channels_first_ ? 1 : rank() - 1; }

  // Writes the arguments for windows over x whose result is y. `size(i)` is the extent of a window along its axis i.
  template <class Size> void write(window_arguments& w, const shape& x, const shape& y, const Size& size) const {
    w.volumes = x[0];
    w.channels = x[channel_axis()];
    w.outputs = y[channel_axis()];
    const int axes = rank() - 2;
    window_axis* const all[] = {&w.planes, &w.rows, &w.columns};
    for (int i = 0; i < axes; ++i) *all[3 - axes + i] = along(first_axis() + i, x, size(i));
    write_steps(x, w.x_steps);
    write_steps(y, w.y_steps);
  }
  int first_axis() const { return channels_first_ ? 2 : 1; }

private:
  window_axis along(int axis, const shape& x, std::int64_t size) const {
    const auto i = static_cast<std::size_t>(axis);
    detail::window window{size, strides_[i], dilations_.empty() ? 1 : dilations_[i]};
    if (padding_ == padding::explicit_) window.before = paddings_[2 * i], window.after = paddings_[2 * i + 1];
    return {x[axis], window.outputs(x[axis], padding_), size, window.step, window.dilation, window.start(x[axis], padding_)};
  }
  void write_steps(const shape& s, std::int64_t* to) const {
    const steps_of steps(s);
    to[0] = steps[0];
    to[1] = rank() == 5 ? steps[first_axis()] : 0;
    to[2] = steps[first_axis() + rank() - 4];
    to[3] = steps[first_axis() + rank() - 3];
    to[4] = steps[channel_axis()];
  }

  numbers_of_axes strides_, dilations_, paddings_;
  padding padding_ = padding::valid;
  bool channels_first_;
};

}  // namespace

void run_pool(const gpu_call& c) {
  const window_call of(c);
  const kernel_form form = c.record().form;
  const bool is_mean_gradient = form == kernel_form::mean_pool_gradient;
  const auto sizes = c.attribute<numbers_of_axes>("ksize");
  const auto size = [&](int axis) { return sizes[static_cast<std::size_t>(axis)]; };
  window_arguments w;
  const shape& x = is_mean_gradient ? c.out().shape() : c.in(0).shape();
  const shape& y = form == kernel_form::pool ? c.out().shape() : c.in(1).shape();
  of.write(w, x, y, [&](int i) { return size(of.first_axis() + i); });
  w.depth.size = w.depth.step = size(of.channel_axis());
  if (!is_mean_gradient) w.x = c.in(0).data();
  if (form != kernel_form::pool) w.y = c.in(1).data();
  if (form == kernel_form::max_pool_gradient) w.filter = c.in(2).data();
  w.output = c.out().data();
  c.launch_each(c.record().function, size_of_tensor(c.out()), w);
}

void run_convolution(const gpu_call& c) {
  const window_call of(c);
  const kernel_form form = c.record().form;
  const shape& x = form == kernel_form::convolution_by_input ? c.out().shape() : c.in(0).shape();
  const shape& y = form == kernel_form::convolution ? c.out().shape() : c.in(2).shape();
  const shape& filter = form == kernel_form::convolution_by_filter ? c.out().shape() : c.in(1).shape();
  window_arguments w;
  of.write(w, x, y, [&](int i) { return filter[i]; });
  if (c.record().by_channel) {  // each channel is a group
    w.group_outputs = filter[-1];
  } else {
    w.group_inputs = filter[-2];
    w.group_outputs = w.group_inputs == 0 || w.channels == 0 ? w.outputs : w.outputs / (w.channels / w.group_inputs);
  }
  w.x = form == kernel_form::convolution_by_input ? nullptr : c.in(0).data();
  w.y = form == kernel_form::convolution ? nullptr : c.in(2).data();
  w.filter = form == kernel_form::convolution_by_filter ? nullptr : c.in(1).data();
  w.output = c.out().data();
  if (form == kernel_form::convolution_by_filter) c.launch(c.record().function, size_of_tensor(c.out()), w);
  else c.launch_each(c.record().function, size_of_tensor(c.out()), w);
}

}
}
}  // namespace flowgraph::cuda
