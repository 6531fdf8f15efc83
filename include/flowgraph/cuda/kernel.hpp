#pragma once
// Kernels of GPUs for the ops of a program. A file that nvcc compiles adds the kernels to a device:
//
//     // y = x^2 / (1 + x^2); the op's kernel for the CPU calls the same function
//     struct soft_square_of {
//       template <class T> FLOWGRAPH_FUNCTION T operator()(T x) const { return x * x / (T(1) + x * x); }
//     };
//
//     void add_kernels(fg::device& gpu) {
//       fg::cuda::add_map<soft_square, soft_square_of, float, double>(gpu).value();
//     }
//
// The kernel of any other op launches a body (cuda/block.hpp):
//
//     gpu.add<center, float>([](const center&, fg::cuda::context ctx, fg::view<const float> x, fg::view<float> y) {
//       ctx.launch<center_rows>(x.shape()[0], rows{x.data(), y.data(), x.shape()[1]});
//     });
//
// Add the kernels before the first session uses the device. The docs page cuda.md explains how to build such a file.

#include <flowgraph/core/half.hpp>
#include <flowgraph/cuda/block.hpp>
#include <flowgraph/cuda/broadcast_axes.hpp>
#include <flowgraph/cuda/pack.hpp>
#include <flowgraph/op/device_kernel.hpp>

#include <type_traits>

#if !defined(__CUDACC__) && defined(FLOWGRAPH_CUDA_EMULATION)
#include FLOWGRAPH_CUDA_EMULATION  // defines cuda::kernel_function for an emulated GPU
#endif

namespace flowgraph::inline FLOWGRAPH_ABI {

#if defined(__CUDACC__)
namespace detail {

// For an op with one type attribute, nvcc cannot use the template of op/signature.hpp, because its list of further types is
// empty.
template <class Op, class T>
  requires requires { typename kernel_parameters<decltype(&Op::template operator()<T>)>::list; }
struct parameters_for<Op, T> : kernel_parameters<decltype(&Op::template operator()<T>)> {
  static constexpr bool has_kernel = true;
};

}  // namespace detail
#endif

namespace cuda {

// The largest size in bytes of the arguments of a kernel.
inline constexpr std::size_t most_argument_bytes = 512;

namespace custom {

#if defined(__CUDACC__)
template <class Body, class Arguments> __global__ void __launch_bounds__(threads_per_block) run_body(const Arguments a) {
  device_block b;
  Body()(b, a);
}
template <class Body, class Arguments> const void* function_of() {
  return reinterpret_cast<const void*>(&run_body<Body, Arguments>);
}
#elif defined(FLOWGRAPH_CUDA_EMULATION)
template <class Body, class Arguments> const void* function_of() { return kernel_function<Body, Arguments>(); }
#else
template <class Body, class Arguments> const void* function_of() {
  static_assert(sizeof(Body) == 0, "flowgraph: the kernels of GPUs are compiled by nvcc; see the docs page cuda.md");
  return nullptr;
}
#endif

// Requests a kernel with `blocks` blocks. A failure becomes the error of the call.
void launch(detail::kernel_call& call, const void* function, std::int64_t blocks, const void* arguments, std::size_t bytes);

}  // namespace custom

// The context of a kernel of a GPU. Kernels are asynchronous: their tensors are in the memory of the GPU, which the host must not
// access. The work of a device has one order, so a kernel sees the results of all nodes that ran before it.
class context : public device_context {
public:
  using device_context::device_context;

  // Runs the body for blocks 0 to `blocks` - 1. `a` is copied. Arguments is a struct of pointers and numbers.
  template <class Body, class Arguments> void launch(std::int64_t blocks, const Arguments& a) const {
    static_assert(std::is_trivially_copyable_v<Arguments> && sizeof(Arguments) <= most_argument_bytes,
                  "flowgraph: the arguments of a kernel are a struct of at most 512 bytes that can be copied as bytes");
    custom::launch(call(), custom::function_of<Body, Arguments>(), blocks, &a, sizeof a);
  }
  // Runs the body for as many blocks as `size` elements need. Each block has elements_per_block elements.
  template <class Body, class Arguments> void launch_each(std::int64_t size, const Arguments& a) const {
    launch<Body>((size + elements_per_block - 1) / elements_per_block, a);
  }
};

namespace custom {

// y = f(x...). Each operand has its own steps.
template <class F, std::size_t Operands> struct element_arguments {
  F f;
  const void* x[Operands] = {};
  void* y = nullptr;
  std::int64_t size = 0;
  broadcast_axes<Operands> axes = {};
};

// The type with which functors are called: float for half and bfloat16.
template <class T> using number_of = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

template <class F, class R, class... T> struct element_map {
  static constexpr std::size_t operands = sizeof...(T);
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const element_arguments<F, operands>& m) const {
    compute(b, m, std::index_sequence_for<T...>());
  }

private:
  template <class Block, std::size_t... K>
  FLOWGRAPH_FUNCTION static void compute(Block& b, const element_arguments<F, operands>& m, std::index_sequence<K...>) {
    const std::int64_t first = b.index() * elements_per_block, left = m.size - first;
    const std::int64_t count = left < elements_per_block ? left : std::int64_t{elements_per_block};
    R* const y = static_cast<R*>(m.y) + first;
    if (m.axes.rank > 1) {
      b.each(count, [&](std::int64_t i) {
        y[i] = static_cast<R>(m.f(static_cast<number_of<T>>(static_cast<const T*>(m.x[K])[m.axes.place(first + i, K)])...));
      });
      return;
    }
    bool packed = is_packed(y);
    ((packed = packed && (m.axes.steps[K][0] == 0 || is_packed(static_cast<const T*>(m.x[K]) + first))), ...);
    each_pack<pack_size<R, T...>>(b, count, packed, [&]<class N>(N, std::int64_t i) {
      pack<R, N::value> result;
      compute_pack<N::value>(m.f, result, load<N::value>(static_cast<const T*>(m.x[K]), first + i, m.axes.steps[K][0])...);
      store(y + i, result);
    });
  }
  template <int Count>
  FLOWGRAPH_ALWAYS_INLINE static void compute_pack(const F& f, pack<R, Count>& result, const pack<T, Count>&... x) {
    for (int k = 0; k < Count; ++k) result.at[k] = static_cast<R>(f(static_cast<number_of<T>>(x.at[k])...));
  }
};

// Returns the functor of a node. A functor with a constructor for the op can have the op's attributes.
template <class F, class Op> F functor_of(const Op& op) {
  if constexpr (std::is_constructible_v<F, const Op&>) return F(op);
  else return F();
}

template <class R, class F, class... T> void launch_map(context ctx, const F& f, const view<R>& y, const view<const T>&... x) {
  element_arguments<F, sizeof...(T)> m{.f = f};
  m.y = y.data();
  m.size = static_cast<std::int64_t>(y.size());
  m.axes = broadcast_axes<sizeof...(T)>(y.shape(), {x.shape()...});
  std::size_t k = 0;
  ((m.x[k++] = x.data()), ...);
  ctx.launch_each<element_map<F, R, T...>>(m.size, m);
}

template <class Op, class F, class T, std::size_t Operands> struct map_kernel;
template <class Op, class F, class T> struct map_kernel<Op, F, T, 1> {
  void operator()(const Op& op, context ctx, view<const T> x, view<T> y) const { launch_map(ctx, functor_of<F>(op), y, x); }
};
template <class Op, class F, class T> struct map_kernel<Op, F, T, 2> {
  void operator()(const Op& op, context ctx, view<const T> a, view<const T> b, view<T> y) const {
    launch_map(ctx, functor_of<F>(op), y, a, b);
  }
};
template <class Op, class F, class T> struct map_kernel<Op, F, T, 3> {
  void operator()(const Op& op, context ctx, view<const T> a, view<const T> b, view<const T> c, view<T> y) const {
    launch_map(ctx, functor_of<F>(op), y, a, b, c);
  }
};

template <class F, class T>
inline constexpr std::size_t operands_of = [] {
  if constexpr (std::is_invocable_v<F, T>) return 1;
  else if constexpr (std::is_invocable_v<F, T, T>) return 2;
  else return 3;
}();

}  // namespace custom

// Adds kernels for an element-wise op to the device. The op has one to three operands of the same type as the result. f(x...)
// computes an element. f is F(op) if F has such a constructor, so f can have the attributes of the op; otherwise f is F(). f is
// called with floats for half and bfloat16. Operands are broadcast to the shape of the result. If the device already has a kernel
// for one of the types, returns an error.
template <class Op, class F, class... T> result<void> add_map(device& gpu) {
  result<void> outcome;
  const auto add = [&]<class E>(std::type_identity<E>) {
    constexpr std::size_t operands = custom::operands_of<F, custom::number_of<E>>;
    if (outcome.has_value()) static_cast<void>(outcome = gpu.add<Op, E>(custom::map_kernel<Op, F, E, operands>()));
  };
  (add(std::type_identity<T>()), ...);
  return outcome;
}

}  // namespace cuda
}  // namespace flowgraph
