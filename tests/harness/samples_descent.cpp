// Samples of training steps.

#include "samples.hpp"

namespace harness {

namespace {

// The inputs of an update in addition to its gradient: variables, scalars before the gradient, then further inputs.
struct arguments {
  int variables, before;
  std::vector<input> after = {};
  std::string_view flag = {};  // an attribute that is tested with both values
};

void add(calls& all, const arguments& a, const fg::shape& variable_shape, std::vector<input> gradient) {
  std::vector<input> in(static_cast<std::size_t>(a.variables), variable(variable_shape));
  for (int i = 0; i < a.before; ++i) in.push_back(random({}));
  in.insert(in.end(), gradient.begin(), gradient.end());
  in.insert(in.end(), a.after.begin(), a.after.end());
  const call made(std::move(in));
  if (a.flag.empty()) {
    all.push_back(made);
    return;
  }
  all.push_back(made.with(a.flag, false));
  all.push_back(made.with(a.flag, true));
}

calls dense(const arguments& a) {
  calls all;
  for (const fg::shape& s : {fg::shape{}, {3}, {2, 3}, {0}, {2, 1, 2}, {40001}}) add(all, a, s, {random(s)});
  return all;
}
calls sparse(const arguments& a) {
  calls all;
  add(all, a, {4}, {random({2}), given({3, 0})});
  add(all, a, {3, 2}, {random({3, 2}), given({1, 1, 2})});
  add(all, a, {3, 2}, {random({0, 2}), given({})});
  add(all, a, {300, 301}, {random({2, 301}), given({7, 299})});
  return all;
}

// Domain of rates and powers: their square roots and quotients exist.
const std::vector<domain> fractions = {between(0.2, 0.8)};
// The mean is below the root of the mean square.
const std::vector<domain> small_mean = {between(0.2, 0.8), between(0.1, 0.3), between(0.2, 0.8)};

// Adds both forms of access, for a method without and with a sparse form.
void add_dense(std::vector<sample>& all, std::string_view plain, std::string_view resource, const arguments& a,
               const std::vector<domain>& from = fractions) {
  all.push_back({plain, dense(a), from});
  all.push_back({resource, dense(a), from});
}
void add_sparse(std::vector<sample>& all, std::string_view plain, std::string_view resource, const arguments& a,
                const std::vector<domain>& from = fractions) {
  all.push_back({plain, sparse(a), from});
  all.push_back({resource, sparse(a), from});
}

}  // namespace

std::vector<sample> descent_samples() {
  const input r = random({});
  const arguments momentum{2, 1, {r}, "use_nesterov"}, adagrad{2, 1, {}, "update_slots"}, adagrad_v2{2, 2, {}, "update_slots"};
  const arguments adagrad_da{3, 0, {r, r, r, number(3)}}, adadelta{3, 3}, rms_prop{3, 4}, centered{4, 4};
  const arguments ftrl{3, 0, {r, r, r, number(-0.5)}, "multiply_linear_by_lr"};
  const arguments ftrl_v2{3, 0, {r, r, r, r, number(-0.75)}, "multiply_linear_by_lr"};
  const arguments proximal{1, 3}, proximal_adagrad{2, 3}, adam{3, 6, {}, "use_nesterov"};
  std::vector<sample> all;
  add_dense(all, "ApplyGradientDescent", "ResourceApplyGradientDescent", {1, 1});
  add_dense(all, "ApplyMomentum", "ResourceApplyMomentum", momentum);
  add_sparse(all, "SparseApplyMomentum", "ResourceSparseApplyMomentum", momentum);
  add_dense(all, "ApplyAdam", "ResourceApplyAdam", adam);
  add_sparse(all, "SparseApplyLazyAdam", "ResourceSparseApplyLazyAdam", adam);
  add_sparse(all, "SparseApplyLazyAdamW", "ResourceSparseApplyLazyAdamW", {3, 7});
  add_dense(all, "ApplyAdagrad", "ResourceApplyAdagrad", adagrad);
  add_sparse(all, "SparseApplyAdagrad", "ResourceSparseApplyAdagrad", adagrad);
  add_dense(all, "ApplyAdagradV2", "ResourceApplyAdagradV2", adagrad_v2);
  add_sparse(all, "SparseApplyAdagradV2", "ResourceSparseApplyAdagradV2", adagrad_v2);
  add_dense(all, "ApplyAdagradDA", "ResourceApplyAdagradDA", adagrad_da);
  add_sparse(all, "SparseApplyAdagradDA", "ResourceSparseApplyAdagradDA", adagrad_da);
  add_dense(all, "ApplyAdadelta", "ResourceApplyAdadelta", adadelta);
  add_sparse(all, "SparseApplyAdadelta", "ResourceSparseApplyAdadelta", adadelta);
  add_dense(all, "ApplyAdaMax", "ResourceApplyAdaMax", {3, 5});
  all.push_back({"ResourceApplyAdamWithAmsgrad", dense({4, 6}), fractions});
  add_dense(all, "ApplyRMSProp", "ResourceApplyRMSProp", rms_prop);
  add_sparse(all, "SparseApplyRMSProp", "ResourceSparseApplyRMSProp", rms_prop);
  add_dense(all, "ApplyCenteredRMSProp", "ResourceApplyCenteredRMSProp", centered, small_mean);
  add_sparse(all, "SparseApplyCenteredRMSProp", "ResourceSparseApplyCenteredRMSProp", centered, small_mean);
  add_dense(all, "ApplyFtrl", "ResourceApplyFtrl", ftrl);
  add_sparse(all, "SparseApplyFtrl", "ResourceSparseApplyFtrl", ftrl);
  add_dense(all, "ApplyFtrlV2", "ResourceApplyFtrlV2", ftrl_v2);
  add_sparse(all, "SparseApplyFtrlV2", "ResourceSparseApplyFtrlV2", ftrl_v2);
  add_dense(all, "ApplyProximalGradientDescent", "ResourceApplyProximalGradientDescent", proximal);
  add_sparse(all, "SparseApplyProximalGradientDescent", "ResourceSparseApplyProximalGradientDescent", proximal);
  add_dense(all, "ApplyProximalAdagrad", "ResourceApplyProximalAdagrad", proximal_adagrad);
  add_sparse(all, "SparseApplyProximalAdagrad", "ResourceSparseApplyProximalAdagrad", proximal_adagrad);
  add_dense(all, "ApplyAddSign", "ResourceApplyAddSign", {2, 4});
  add_dense(all, "ApplyPowerSign", "ResourceApplyPowerSign", {2, 4});
  return all;
}

}  // namespace harness
