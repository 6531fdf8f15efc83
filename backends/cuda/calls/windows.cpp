// Calls of pools and convolutions.
#include <cuda/calls/gpu_call.hpp>

#include <flowgraph/ops/nn/window.hpp>

#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

using numbers_of_axes = std::vector<std::int64_t>;

// The attributes of windows, and the positions of the axes.
class window_call {
public:
  explicit window_call(const gpu_call& c)
      : strides_(c.attribute<numbers_of_axes>("strides")), dilations_(c.attribute<numbers_of_axes>("dilations")),
        paddings_(c.attribute<numbers_of_axes>("explicit_paddings")),
        at_(c.attribute<std::string>("data_format") == "NCHW" ? data_format::nchw : data_format::nhwc) {
    const auto padding_name = c.attribute<std::string>("padding");
    padding_ = padding_name == "SAME" ? padding::same : padding_name == "VALID" ? padding::valid : padding::explicit_;
  }
  const detail::image_axes& axes() const { return at_; }

  // Writes the windows of `rows` x `columns` elements over images x with the result y.
  void write(window_arguments& w, const shape& x, const shape& y, std::int64_t rows, std::int64_t columns) const {
    w.images = x[at_.batch];
    w.channels = x[at_.depth];
    w.outputs = y[at_.depth];
    w.rows = along(at_.rows, x, rows);
    w.columns = along(at_.columns, x, columns);
    write_steps(x, w.x_steps);
    write_steps(y, w.y_steps);
  }

private:
  window_axis along(int axis, const shape& x, std::int64_t size) const {
    const auto i = static_cast<std::size_t>(axis);
    detail::window window{size, strides_[i], dilations_.empty() ? 1 : dilations_[i]};
    if (padding_ == padding::explicit_) window.before = paddings_[2 * i], window.after = paddings_[2 * i + 1];
    return {x[axis], window.outputs(x[axis], padding_), size, window.step, window.dilation, window.start(x[axis], padding_)};
  }
  void write_steps(const shape& s, std::int64_t* to) const {
    const auto step = [&](int axis) {
      std::int64_t made = 1;
      for (int i = axis + 1; i < s.rank; ++i) made *= s[i];
      return made;
    };
    to[0] = step(at_.batch);
    to[1] = step(at_.rows);
    to[2] = step(at_.columns);
    to[3] = step(at_.depth);
  }

  numbers_of_axes strides_, dilations_, paddings_;
  padding padding_ = padding::valid;
  detail::image_axes at_;
};

}  // namespace

void run_pool(const gpu_call& c) {
  const window_call of(c);
  const bool is_gradient = c.record().form == kernel_form::max_pool_gradient;
  const bool is_mean_gradient = c.record().form == kernel_form::mean_pool_gradient;
  const auto sizes = c.attribute<numbers_of_axes>("ksize");
  const auto size = [&](int axis) { return sizes[static_cast<std::size_t>(axis)]; };
  const shape& x = is_mean_gradient ? c.out().shape() : c.in(0).shape();
  const shape& y = is_mean_gradient || is_gradient ? c.in(1).shape() : c.out().shape();
  window_arguments w;
  of.write(w, x, y, size(of.axes().rows), size(of.axes().columns));
  w.depth.size = w.depth.step = size(of.axes().depth);
  w.x = c.in(0).data();
  w.y = is_mean_gradient ? c.in(1).data() : nullptr;
  if (is_gradient) w.filter = c.in(2).data();
  w.made = c.out().data();
  c.launch_each(c.record().function, size_of_tensor(c.out()), w);
}

void run_convolution(const gpu_call& c) {
  const window_call of(c);
  const kernel_form form = c.record().form;
  const shape& x = form == kernel_form::convolution_by_input ? c.out().shape() : c.in(0).shape();
  const shape& y = form == kernel_form::convolution ? c.out().shape() : c.in(2).shape();
  const shape& filter = form == kernel_form::convolution_by_filter ? c.out().shape() : c.in(1).shape();
  window_arguments w;
  of.write(w, x, y, filter[0], filter[1]);
  w.group_inputs = filter[2];
  w.group_outputs = w.group_inputs == 0 || w.channels == 0 ? w.outputs : w.outputs / (w.channels / w.group_inputs);
  w.x = form == kernel_form::convolution_by_input ? nullptr : c.in(0).data();
  w.y = form == kernel_form::convolution ? nullptr : c.in(2).data();
  w.filter = form == kernel_form::convolution_by_filter ? nullptr : c.in(1).data();
  w.made = c.out().data();
  if (form == kernel_form::convolution_by_filter) c.launch(c.record().function, size_of_tensor(c.out()), w);
  else c.launch_each(c.record().function, size_of_tensor(c.out()), w);
}

}
}
}  // namespace flowgraph::cuda
