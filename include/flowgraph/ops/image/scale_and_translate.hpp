#pragma once
// Scaling and moving of images, with the kernels that weight pixels by their distance.
//
//   const auto y = fg::scale_and_translate(images, size, scale, translation, {.kernel_type = fg::sampling_kernel::lanczos3});

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/image/detail/resize_rules.hpp>
#include <flowgraph/ops/math/cast.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The function that weights pixels by their distance: windowed sines with 1, 3 or 5 zeros, the normal distribution, a rectangle,
// a triangle, and the cubics of Keys and of Mitchell and Netravali.
enum class sampling_kernel : std::uint8_t { lanczos1, lanczos3, lanczos5, gaussian, box, triangle, keyscubic, mitchellcubic };
constexpr std::array<std::string_view, 8> attribute_names(sampling_kernel) {
  return {"lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"};
}

// How ScaleAndTranslate weights pixels.
struct scale_attributes {
  sampling_kernel kernel_type = sampling_kernel::lanczos3;  // the weight of a pixel at a distance
  bool antialias = true;                                    // true: the kernel is wider if images shrink
  static constexpr auto attrs =
      flowgraph::attrs(attr("kernel_type", &scale_attributes::kernel_type), attr("antialias", &scale_attributes::antialias));
};

namespace detail {

shape scaled_shape(shape_context& c, const shape& x, const shape& size, const shape& scale, const shape& translation);
shape scale_gradient_shape(shape_context& c, const shape& dy, const shape& x, const shape& scale, const shape& translation);
std::size_t scale_scratch(const shape& source);

}  // namespace detail

// The gradient of ScaleAndTranslate, computed from the original images.
struct scale_and_translate_grad_op : scale_attributes {
  static constexpr std::string_view name = "ScaleAndTranslateGrad";
  using types = type_list<float>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2, 3);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& x, const flowgraph::shape& scale,
                         const flowgraph::shape& translation) const {
    return detail::scale_gradient_shape(c, dy, x, scale, translation);
  }
  std::size_t scratch(const flowgraph::shape& dy, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::scale_scratch(dy);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> dy, view<const T> x, view<const float> scale, view<const float> translation,
                  view<T> dx) const;
};

// Scales and moves images, and weights the pixels by a kernel. Pixel i of the result is at (i + 0.5 - translation) / scale in the
// original images. It is 0 if this place is outside of them.
struct scale_and_translate_op : scale_attributes {
  static constexpr std::string_view name = "ScaleAndTranslate";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2, 3);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& size, const flowgraph::shape& scale,
                         const flowgraph::shape& translation) const {
    return detail::scaled_shape(c, x, size, scale, translation);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::scale_scratch(x);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const std::int32_t> size, view<const float> scale, view<const float> translation,
                  view<float> y) const;
  template <class T>
  std::tuple<any_grad, none_type, none_type, none_type> gradient(out<T> x, out<std::int32_t>, out<float> scale,
                                                                 out<float> translation, out<float>, out<float> dy) const {
    const scale_and_translate_grad_op op{*this};
    if constexpr (std::is_same_v<T, float>) return {any_grad(apply(op, dy, x, scale, translation)), none, none, none};
    else if constexpr (in_list<T, floating>)
      return {any_grad(cast<T>(apply(op, dy, cast<float>(x), scale, translation))), none, none, none};
    else return {any_grad(none), none, none, none};
  }
};

// `size`, `scale` and `translation` have an element for rows and an element for columns. The size of the result need not be the
// scaled size. The options are the attributes of the op.
template <class T>
out<float> scale_and_translate(const out<T>& images, const out<std::int32_t>& size, const out<float>& scale,
                               const out<float>& translation, const scale_attributes& options = {}, site s = {}) {
  return apply(scale_and_translate_op{options}, images, size, scale, translation, s);
}

using scale_and_translate_ops = type_list<scale_and_translate_op, scale_and_translate_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/scale_and_translate.hpp>
#endif
