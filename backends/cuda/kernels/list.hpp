#pragma once
// The list of kernels: which ops have one, and for which element types. An op that is not here runs on the CPU.
//
// `Make::function<Body, Arguments>()` returns the function of a body.

#include <cuda/kernels/maps.hpp>
#include <cuda/kernels/moves.hpp>
#include <cuda/kernels/products.hpp>
#include <cuda/kernels/reductions.hpp>
#include <cuda/kernels/table.hpp>
#include <cuda/kernels/updates.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <class Make> class kernel_list : private kernel_records {
public:
  // Returns the records of all parts, or of one: nvcc compiles the parts in files of their own.
  template <int Part = all_parts> std::vector<kernel_record> make() {
    constexpr auto has = [](int part) { return Part == all_parts || Part == part; };
    if constexpr (has(0)) add_functions();
    if constexpr (has(1)) add_operators();
    if constexpr (has(2)) add_comparisons();
    if constexpr (has(2)) add_gradients();
    if constexpr (has(3)) add_reductions();
    if constexpr (has(4)) add_moves();
    if constexpr (has(5)) add_rows();
    if constexpr (has(6)) add_updates();
    return take();
  }

private:
  using form = kernel_form;

  template <class Body, class Arguments> static const void* function() { return Make::template function<Body, Arguments>(); }

  template <class F, class Types = reals> void unary(std::string_view op) {
    each_type(Types(), [&]<class T>(std::type_identity<T>) {
      add(op, form::unary, {dtype_of<T>}, function<unary_map<F, T, T>, map_arguments>());
    });
  }
  template <class F> void ask(std::string_view op) {
    each_type(reals(), [&]<class T>(std::type_identity<T>) {
      add(op, form::unary, {dtype_of<T>}, function<unary_map<F, T, bool>, map_arguments>());
      all_.back().makes_bools = true;
    });
  }
  template <class F, class Types> void binary(std::string_view op) {
    each_type(Types(), [&]<class T>(std::type_identity<T>) {
      add(op, form::binary, {dtype_of<T>}, function<binary_map<F, T, T>, map_arguments>(),
          function<broadcast_map<F, T, T>, broadcast_arguments>());
    });
  }
  template <class F> void compare(std::string_view op) {
    each_type(all_numbers(), [&]<class T>(std::type_identity<T>) {
      add(op, form::binary, {dtype_of<T>}, function<binary_map<F, T, bool>, map_arguments>(),
          function<broadcast_map<F, T, bool>, broadcast_arguments>());
      all_.back().makes_bools = true;
    });
  }
  template <class F, class Types = reals> void paired(std::string_view op) {
    each_type(Types(), [&]<class T>(std::type_identity<T>) {
      add(op, form::paired, {dtype_of<T>}, function<binary_map<F, T, T>, map_arguments>());
    });
  }
  template <class R, class Types> void reduce(std::string_view op, form how = form::reduce) {
    each_type(Types(), [&]<class T>(std::type_identity<T>) {
      const void* const by_threads = function<reduce_by_threads<R, T>, reduce_arguments>();
      const void* const by_block = function<reduce_by_block<R, T>, reduce_arguments>();
      if constexpr (std::is_same_v<T, bool>) add(op, how, {}, by_threads, by_block);
      else add(op, how, {dtype_of<T>}, by_threads, by_block);
      all_.back().by_parts = function<reduce_parts<R, T>, reduce_arguments>();
      all_.back().of_parts = function<join_parts<R, T>, reduce_arguments>();
      all_.back().by_columns = function<reduce_columns<R, T>, reduce_arguments>();
      all_.back().of_columns = function<join_columns<R, T>, reduce_arguments>();
      all_.back().columns = static_cast<std::uint16_t>(reduce_columns<R, T>::lanes * reduce_columns<R, T>::width);
    });
  }
  template <class Step, class Types> void update(std::string_view op, std::uint8_t after_gradient = 0) {
    each_type(Types(), [&]<class T>(std::type_identity<T>) {
      add(op, form::update, {dtype_of<T>}, function<update_map<Step, T>, update_arguments>());
      all_.back().after_gradient = after_gradient;
    });
  }

  void add_functions();
  void add_operators();
  void add_comparisons();
  void add_gradients();
  void add_reductions();
  void add_moves();
  void add_rows();
  void add_updates();
};

template <class Make> void kernel_list<Make>::add_functions() {
  unary<functor::neg, all_numbers>("Neg");
  unary<functor::sign, all_numbers>("Sign");
  unary<functor::abs, all_numbers>("Abs");
  unary<functor::square, all_numbers>("Square");
  unary<functor::floor>("Floor");
  unary<functor::ceil>("Ceil");
  unary<functor::rint, full_reals>("Rint");
  unary<functor::rint, all_numbers>("Round");
  unary<functor::sin>("Sin");
  unary<functor::cos>("Cos");
  unary<functor::tan>("Tan");
  unary<functor::asin>("Asin");
  unary<functor::acos>("Acos");
  unary<functor::atan>("Atan");
  unary<functor::sinh>("Sinh");
  unary<functor::cosh>("Cosh");
  unary<functor::asinh>("Asinh");
  unary<functor::acosh>("Acosh");
  unary<functor::atanh>("Atanh");
  ask<is_not_a_number>("IsNan");
  ask<is_infinite>("IsInf");
  ask<is_finite>("IsFinite");
  unary<functor::exp>("Exp");
  unary<functor::expm1>("Expm1");
  unary<functor::log>("Log");
  unary<functor::log1p>("Log1p");
  unary<functor::sqrt>("Sqrt");
  unary<functor::rsqrt>("Rsqrt");
  unary<functor::reciprocal>("Reciprocal");
  unary<functor::reciprocal>("Inv");
  unary<functor::tanh>("Tanh");
  unary<functor::sigmoid>("Sigmoid");
  unary<functor::relu, all_numbers>("Relu");
  unary<functor::relu6, all_numbers>("Relu6");
  unary<functor::softplus>("Softplus");
  unary<functor::softsign>("Softsign");
  unary<functor::elu>("Elu");
  unary<functor::selu>("Selu");
  unary<functor::erf>("Erf");
  unary<functor::erfc>("Erfc");
  add("LogicalNot", form::unary, {}, function<unary_map<logical_not, bool, bool>, map_arguments>());
}

template <class Make> void kernel_list<Make>::add_operators() {
  binary<functor::add, all_numbers>("Add");
  binary<functor::add, all_numbers>("AddV2");
  binary<functor::sub, all_numbers>("Sub");
  binary<functor::mul, all_numbers>("Mul");
  binary<functor::div, reals>("Div");
  binary<functor::div, reals>("RealDiv");
  binary<functor::maximum, all_numbers>("Maximum");
  binary<functor::minimum, all_numbers>("Minimum");
  binary<functor::squared_difference, all_numbers>("SquaredDifference");
  binary<functor::mul_no_nan, reals>("MulNoNan");
  binary<functor::div_no_nan, reals>("DivNoNan");
  binary<functor::pow, reals>("Pow");
  binary<functor::atan2, reals>("Atan2");
  binary<functor::floor_div, full_reals>("FloorDiv");
  binary<functor::floor_mod, full_reals>("FloorMod");
  binary<functor::truncate_mod, full_reals>("Mod");
  binary<functor::xdivy, reals>("Xdivy");
  binary<functor::xlogy, reals>("Xlogy");
  binary<functor::xlog1py, reals>("Xlog1py");
  each_type(all_numbers(), [&]<class T>(std::type_identity<T>) {
    add("BiasAdd", form::bias, {dtype_of<T>}, function<broadcast_map<functor::add, T, T>, broadcast_arguments>());
    for (const std::string_view op : {"AddN", "AccumulateNV2"})
      add(op, form::add_n, {dtype_of<T>}, function<binary_map<functor::add, T, T>, map_arguments>());
    add("ClipByValue", form::clip, {dtype_of<T>}, function<clip_map<T>, broadcast_arguments>());
  });
}

template <class Make> void kernel_list<Make>::add_comparisons() {
  compare<functor::less>("Less");
  compare<functor::less_equal>("LessEqual");
  compare<functor::greater>("Greater");
  compare<functor::greater_equal>("GreaterEqual");
  compare<functor::equal>("Equal");
  compare<functor::not_equal>("NotEqual");
  add("LogicalAnd", form::binary, {}, function<binary_map<functor::logical_and, bool, bool>, map_arguments>(),
      function<broadcast_map<functor::logical_and, bool, bool>, broadcast_arguments>());
  add("LogicalOr", form::binary, {}, function<binary_map<functor::logical_or, bool, bool>, map_arguments>(),
      function<broadcast_map<functor::logical_or, bool, bool>, broadcast_arguments>());
  each_type(cast_types(), [&]<class From>(std::type_identity<From>) {
    each_type(cast_types(), [&]<class To>(std::type_identity<To>) {
      add("Cast", form::cast, {dtype_of<From>, dtype_of<To>}, function<cast_map<From, To>, map_arguments>());
    });
  });
}

template <class Make> void kernel_list<Make>::add_gradients() {
  paired<functor::tanh_grad>("TanhGrad");
  paired<functor::sigmoid_grad>("SigmoidGrad");
  paired<functor::relu_grad, all_numbers>("ReluGrad");
  paired<functor::relu6_grad, all_numbers>("Relu6Grad");
  paired<functor::softplus_grad>("SoftplusGrad");
  paired<functor::softsign_grad>("SoftsignGrad");
  paired<functor::elu_grad>("EluGrad");
  paired<functor::selu_grad>("SeluGrad");
  paired<functor::sqrt_grad>("SqrtGrad");
  paired<functor::rsqrt_grad>("RsqrtGrad");
  paired<functor::reciprocal_grad>("ReciprocalGrad");
  paired<functor::reciprocal_grad>("InvGrad");
  each_type(reals(), [&]<class T>(std::type_identity<T>) {
    add("LeakyRelu", form::leaky, {dtype_of<T>}, function<leaky_map<T, false>, map_arguments>());
    add("LeakyReluGrad", form::leaky, {dtype_of<T>}, function<leaky_map<T, true>, map_arguments>());
  });
}

template <class Make> void kernel_list<Make>::add_reductions() {
  reduce<sum_of, all_numbers>("Sum");
  reduce<mean_of, all_numbers>("Mean");
  reduce<product_of, all_numbers>("Prod");
  reduce<maximum_of, all_numbers>("Max");
  reduce<minimum_of, all_numbers>("Min");
  reduce<all_of, type_list<bool>>("All");
  reduce<any_of, type_list<bool>>("Any");
  reduce<sum_of, all_numbers>("BiasAddGrad", form::bias_sum);
  reduce<squares_of, reals>("L2Loss", form::sum_of_squares);
  reduce<norm_of, reals>("EuclideanNorm");
  each_type(all_numbers(), [&]<class T>(std::type_identity<T>) {
    each_type(integers(), [&]<class I>(std::type_identity<I>) {
      add("ArgMax", form::search, {dtype_of<T>, dtype_of<I>}, function<search<T, I, true>, reduce_arguments>());
      add("ArgMin", form::search, {dtype_of<T>, dtype_of<I>}, function<search<T, I, false>, reduce_arguments>());
    });
  });
}

template <class Make> void kernel_list<Make>::add_moves() {
  each_type(moved_types(), [&]<class T>(std::type_identity<T>) {
    const dtype type = dtype_of<T>;
    const void* const copy = function<strided_copy<sizeof(T)>, move_arguments>();
    const void* const filled = function<fill<sizeof(T)>, fill_arguments>();
    for (const std::string_view op : {"Select", "SelectV2"})
      add(op, form::select, {type}, function<select_map<sizeof(T)>, broadcast_arguments>());
    add("Transpose", form::transpose, {type}, copy, function<transpose_tiles<sizeof(T)>, move_arguments>());
    add("Slice", form::slice, {type}, copy);
    for (const std::string_view op : {"Pad", "PadV2"}) add(op, form::pad, {type}, copy, filled);
    add("Tile", form::tile, {type}, copy);
    add("BroadcastTo", form::broadcast_to, {type}, copy);
    add("ReverseV2", form::reverse, {type}, copy);
    add("StridedSlice", form::strided, {type}, copy);
    add("StridedSliceGrad", form::strided_gradient, {type}, copy, filled);
    for (const std::string_view op : {"Concat", "ConcatV2"}) add(op, form::concat, {type}, copy);
    for (const std::string_view op : {"Split", "SplitV"}) add(op, form::split, {type}, copy);
    add("SpaceToDepth", form::space_to_depth, {type}, copy);
    add("DepthToSpace", form::depth_to_space, {type}, copy);
    add("MatrixBandPart", form::band, {type}, function<band_map<sizeof(T)>, band_arguments>());
    add("Pack", form::pack, {type}, copy);
    add("Unpack", form::unpack, {type}, copy);
    add("Fill", form::fill, {type}, filled);
    add("ZerosLike", form::fill_like, {type}, filled);
    each_type(integers(), [&]<class I>(std::type_identity<I>) {
      for (const std::string_view op : {"Gather", "GatherV2"})
        add(op, form::gather, {type, dtype_of<I>}, function<gather_rows<sizeof(T), I>, gather_arguments>(),
            function<gather_packs<I>, gather_arguments>());
    });
  });
  each_type(full_numbers(), [&]<class T>(std::type_identity<T>) {
    add("OnesLike", form::fill_like, {dtype_of<T>}, function<fill<sizeof(T)>, fill_arguments>());
    const T one = T(1);
    __builtin_memcpy(all_.back().value, &one, sizeof(T));
  });
}

template <class Make> void kernel_list<Make>::add_rows() {
  each_type(all_numbers(), [&]<class T>(std::type_identity<T>) {
    for (const std::string_view op : {"MatMul", "BatchMatMul", "BatchMatMulV2"})
      add(op, form::product, {dtype_of<T>}, function<tiled_product<T>, product_arguments>());
  });
  each_type(reals(), [&]<class T>(std::type_identity<T>) {
    add("Softmax", form::softmax, {dtype_of<T>}, function<softmax_rows<T, false>, row_arguments>());
    add("LogSoftmax", form::softmax, {dtype_of<T>}, function<softmax_rows<T, true>, row_arguments>());
    add("SoftmaxCrossEntropyWithLogits", form::loss_by_probability, {dtype_of<T>},
        function<loss_by_probability<T>, row_arguments>());
    each_type(integers(), [&]<class I>(std::type_identity<I>) {
      add("SparseSoftmaxCrossEntropyWithLogits", form::loss_by_class, {dtype_of<T>, dtype_of<I>},
          function<loss_by_class<T, I>, row_arguments>());
    });
  });
}

template <class Make> void kernel_list<Make>::add_updates() {
  for (const std::string_view op : {"ApplyGradientDescent", "ResourceApplyGradientDescent"})
    update<gradient_descent, full_reals>(op);
  for (const std::string_view op : {"ApplyMomentum", "ResourceApplyMomentum"}) update<momentum, full_reals>(op, 1);
  for (const std::string_view op : {"ApplyAdagrad", "ResourceApplyAdagrad"}) update<adagrad, full_reals>(op);
  for (const std::string_view op : {"ApplyAdagradV2", "ResourceApplyAdagradV2"}) update<adagrad_v2, full_reals>(op);
  for (const std::string_view op : {"ApplyAdadelta", "ResourceApplyAdadelta"}) update<adadelta, full_reals>(op);
  for (const std::string_view op : {"ApplyRMSProp", "ResourceApplyRMSProp"}) update<rms_prop<false>, full_reals>(op);
  for (const std::string_view op : {"ApplyCenteredRMSProp", "ResourceApplyCenteredRMSProp"})
    update<centered_rms_prop<false>, full_reals>(op);
  for (const std::string_view op : {"ApplyFtrl", "ResourceApplyFtrl"}) update<ftrl<false, false>, full_reals>(op, 4);
  for (const std::string_view op : {"ApplyFtrlV2", "ResourceApplyFtrlV2"}) update<ftrl<true, false>, full_reals>(op, 5);
  for (const std::string_view op : {"ApplyProximalGradientDescent", "ResourceApplyProximalGradientDescent"})
    update<proximal_gradient_descent, full_reals>(op);
  for (const std::string_view op : {"ApplyAddSign", "ResourceApplyAddSign"}) update<add_sign, full_reals>(op);
  for (const std::string_view op : {"ApplyPowerSign", "ResourceApplyPowerSign"}) update<power_sign, full_reals>(op);
  for (const std::string_view op : {"ApplyProximalAdagrad", "ResourceApplyProximalAdagrad"})
    update<proximal_adagrad, full_reals>(op);
  for (const std::string_view op : {"ApplyAdagradDA", "ResourceApplyAdagradDA"}) update<adagrad_da<false>, full_reals>(op, 4);
  update<amsgrad, full_reals>("ResourceApplyAdamWithAmsgrad");
  for (const std::string_view op : {"ApplyAdaMax", "ResourceApplyAdaMax"}) update<adamax, full_reals>(op);
  for (const std::string_view op : {"ApplyAdam", "ResourceApplyAdam"}) update<adam, full_reals>(op);
  for (const std::string_view op : {"AssignAdd", "AssignAddVariableOp"}) update<joined_with<functor::add>, full_numbers>(op);
  for (const std::string_view op : {"AssignSub", "AssignSubVariableOp"}) update<joined_with<functor::sub>, full_numbers>(op);
}

}
}
}  // namespace flowgraph::cuda
