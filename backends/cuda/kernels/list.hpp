#pragma once
// The functor of each op. This list is the only place that names the ops with a kernel.
//
// The includer passes three macros, each of which gets the name of an op and its functor.

#define FLOWGRAPH_CUDA_ELEMENTWISE(unary, binary, paired)                                                                       \
  unary("Neg", neg) unary("Sign", sign) unary("Abs", abs) unary("Floor", floor) unary("Ceil", ceil) unary("Rint", rint)         \
      unary("Square", square) unary("Exp", exp) unary("Expm1", expm1) unary("Log", log) unary("Log1p", log1p)                   \
          unary("Sqrt", sqrt) unary("Rsqrt", rsqrt) unary("Reciprocal", reciprocal) unary("Tanh", tanh)                         \
              unary("Sigmoid", sigmoid) unary("Relu", relu) unary("Softplus", softplus) unary("Elu", elu) unary("Relu6", relu6) \
                  unary("Selu", selu) unary("Softsign", softsign) unary("Erf", erf) unary("Erfc", erfc) binary("Add", add)      \
                      binary("AddV2", add) binary("Sub", sub) binary("Mul", mul) binary("Div", div) binary("RealDiv", div)      \
                          binary("Maximum", maximum) binary("Minimum", minimum) binary("SquaredDifference", squared_difference) \
                              binary("MulNoNan", mul_no_nan) binary("DivNoNan", div_no_nan) binary("Xdivy", xdivy)              \
                                  binary("Xlogy", xlogy) binary("Xlog1py", xlog1py) paired("TanhGrad", tanh_grad)               \
                                      paired("SigmoidGrad", sigmoid_grad) paired("ReluGrad", relu_grad)                         \
                                          paired("SoftplusGrad", softplus_grad) paired("EluGrad", elu_grad)                     \
                                              paired("Relu6Grad", relu6_grad) paired("SeluGrad", selu_grad)                     \
                                                  paired("SoftsignGrad", softsign_grad) paired("SqrtGrad", sqrt_grad)           \
                                                      paired("RsqrtGrad", rsqrt_grad) paired("ReciprocalGrad", reciprocal_grad)
