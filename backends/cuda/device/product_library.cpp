// Products of matrices by cuBLASLt.
#include <cuda/device/product_library.hpp>

#include <flowgraph/core/message.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

namespace status = cublaslt::status;

error_code code_of(int found) {
  switch (found) {
    case status::allocation_failed: return error_code::resource_exhausted;
    case status::invalid_value:
    case status::internal_error: return error_code::internal;
    case status::architecture_mismatch:
    case status::not_supported: return error_code::unimplemented;
    default: return error_code::unavailable;  // a lost GPU stays lost
  }
}
error to_error(const cublaslt::functions& f, int found, const char* function) {
  if (found == status::success) return {};
  return error(code_of(found), message{function, ": ", f.name_of(found)});
}

int type_of(dtype type) {
  return type == dtype::float64   ? cublaslt::type::float64
         : type == dtype::float16 ? cublaslt::type::float16
                                  : cublaslt::type::float32;
}

// An object of the library, which this class destroys.
template <class Object> class owned {
public:
  owned() = default;
  ~owned() {
    if (object_) static_cast<void>(destroy_(object_));
  }
  owned(const owned&) = delete;
  owned& operator=(const owned&) = delete;
  // Returns the place for a new object.
  Object* place(int (*destroy)(Object)) {
    destroy_ = destroy;
    return &object_;
  }
  Object get() const { return object_; }

private:
  Object object_ = nullptr;
  int (*destroy_)(Object) = nullptr;
};

// Calls functions of the library up to the first that fails, and keeps its error.
class calls {
public:
  explicit calls(const cublaslt::functions& f) : functions_(f) {}
  template <class Call> calls& operator()(const char* function, const Call& call) {
    if (!failure_) failure_ = to_error(functions_, call(), function);
    return *this;
  }
  error take() { return std::move(failure_); }
  bool failed() const { return static_cast<bool>(failure_); }

private:
  const cublaslt::functions& functions_;
  error failure_;
};

}  // namespace

// The library's matrices have columns in memory. So the plan computes the transpose of y as the product of the transposes of b
// and a, in this order.
class product_plan {
public:
  owned<cublaslt::product> product;
  owned<cublaslt::layout> b, a, y;
  cublaslt::found_algorithm chosen = {};
  bool is_double = false;

  error open(const cublaslt::functions& f, const product_sizes& p) {
    is_double = p.type == dtype::float64;
    const int scale = is_double ? cublaslt::type::float64 : cublaslt::type::float32;
    const int compute = is_double ? cublaslt::compute::float64 : cublaslt::compute::float32;
    calls call(f);
    call("cublasLtMatmulDescCreate", [&] { return f.create_product(product.place(f.destroy_product), compute, scale); });
    for (const auto& [turned, attribute] :
         {std::pair{p.turned_b, cublaslt::of_product::turns_a}, std::pair{p.turned_a, cublaslt::of_product::turns_b}})
      if (turned)
        call("cublasLtMatmulDescSetAttribute", [&, attribute = attribute] {
          return f.set_product(product.get(), attribute, &cublaslt::is_turned, sizeof cublaslt::is_turned);
        });
    add_layout(call, f, b, p, p.inner, p.columns, p.turned_b, p.b_step);
    add_layout(call, f, a, p, p.rows, p.inner, p.turned_a, p.a_step);
    add_layout(call, f, y, p, p.rows, p.columns, false, p.rows * p.columns);
    return call.take();
  }

  // Chooses the library's first algorithm that has a fixed order of additions. Returns false if there is none.
  result<bool> choose(const cublaslt::functions& f, cublaslt::handle by, const product_sizes& p) {
    owned<cublaslt::preference> wanted;
    calls call(f);
    call("cublasLtMatmulPreferenceCreate", [&] { return f.create_preference(wanted.place(f.destroy_preference)); });
    const auto set = [&](int attribute, const auto& value) {
      call("cublasLtMatmulPreferenceSetAttribute",
           [&] { return f.set_preference(wanted.get(), attribute, &value, sizeof value); });
    };
    namespace preference = cublaslt::of_preference;
    set(preference::workspace, product_library::most_workspace);
    set(preference::reductions, cublaslt::no_reduction);
    set(preference::implementations, ~cublaslt::rounds_to_tf32);
    std::uint32_t alignment = 16;
    if (!p.aligned) alignment = static_cast<std::uint32_t>(size_of(p.type));
    for (const int matrix : {preference::alignment_a, preference::alignment_b, preference::alignment_c, preference::alignment_d})
      set(matrix, alignment);
    if (call.failed()) return call.take();
    std::array<cublaslt::found_algorithm, 16> found = {};
    int count = 0;
    const int how = f.find_algorithms(by, product.get(), b.get(), a.get(), y.get(), y.get(), wanted.get(),
                                      static_cast<int>(found.size()), found.data(), &count);
    if (how == status::not_supported) return false;
    if (error why = to_error(f, how, "cublasLtMatmulAlgoGetHeuristic")) return why;
    const auto end = found.begin() + std::clamp(count, 0, static_cast<int>(found.size()));
    for (auto it = found.begin(); it != end; ++it) {
      const auto fixed = is_fixed(f, *it);
      if (!fixed) return fixed.error();
      if (!*fixed) continue;
      chosen = *it;
      return true;
    }
    return false;
  }

private:
  static void add_layout(calls& call, const cublaslt::functions& f, owned<cublaslt::layout>& to, const product_sizes& p,
                         std::int64_t rows, std::int64_t columns, bool turned, std::int64_t step) {
    const std::int64_t down = turned ? rows : columns, across = turned ? columns : rows;  // of the library's matrix
    call("cublasLtMatrixLayoutCreate", [&] {
      return f.create_layout(to.place(f.destroy_layout), type_of(p.type), static_cast<std::uint64_t>(down),
                             static_cast<std::uint64_t>(across), down);
    });
    if (p.matrices == 1) return;
    const auto count = static_cast<std::int32_t>(p.matrices);
    const auto set = [&](int attribute, const auto& value) {
      call("cublasLtMatrixLayoutSetAttribute", [&] { return f.set_layout(to.get(), attribute, &value, sizeof value); });
    };
    set(cublaslt::of_layout::batch_count, count);
    set(cublaslt::of_layout::batch_step, step);
  }
  // Returns whether an algorithm adds the products of an element in one block.
  static result<bool> is_fixed(const cublaslt::functions& f, const cublaslt::found_algorithm& it) {
    if (it.status != status::success || it.workspace > product_library::most_workspace) return false;
    std::int32_t parts = 0;
    std::uint32_t reduction = 0;
    calls call(f);
    const auto get = [&](int attribute, auto& value) {
      std::size_t written = 0;
      call("cublasLtMatmulAlgoConfigGetAttribute",
           [&] { return f.get_algorithm(&it.by, attribute, &value, sizeof value, &written); });
    };
    get(cublaslt::of_algorithm::parts_of_inner, parts);
    get(cublaslt::of_algorithm::reduction, reduction);
    if (call.failed()) return call.take();
    return (parts == 0 || parts == 1) && reduction == cublaslt::no_reduction;
  }
};

result<std::unique_ptr<product_library>> product_library::open(driver& by) {
  const auto functions = by.product_functions();
  if (!functions) return functions.error();
  std::unique_ptr<product_library> result(new product_library(by, **functions));
  selection now(by);
  if (error why = now.select()) return why;
  if (error why = to_error(**functions, (*functions)->create(&result->handle_), "cublasLtCreate")) return why;
  return result;
}

product_library::~product_library() {
  selection now(driver_);
  static_cast<void>(now.select());
  plans_.clear();
  if (handle_) static_cast<void>(functions_.destroy(handle_));
}

std::string product_library::name() const {
  const std::size_t version = functions_.version();
  return message{"cuBLASLt ", version / 10000, ".", version / 100 % 100, ".", version % 100}.string();
}

std::size_t product_library::workspace_of(const product_plan& p) { return p.chosen.workspace; }

result<std::shared_ptr<const product_plan>> product_library::plan(const product_sizes& p) {
  const std::lock_guard lock(mutex_);
  if (const auto known = plans_.find(p); known != plans_.end()) return known->second;
  auto result = make_plan(p);
  if (!result) return result;
  if (plans_.size() >= most_plans) plans_.clear();
  plans_.emplace(p, *result);
  return result;
}

result<std::shared_ptr<const product_plan>> product_library::make_plan(const product_sizes& p) {
  selection now(driver_);
  if (error why = now.select()) return why;
  auto result = std::make_shared<product_plan>();
  if (error why = result->open(functions_, p)) return why;
  const auto chosen = result->choose(functions_, handle_, p);
  if (!chosen) return chosen.error();
  if (!*chosen) result.reset();
  return std::shared_ptr<const product_plan>(std::move(result));
}

error product_library::multiply(const product_plan& p, const void* a, const void* b, void* y, void* workspace, stream s) {
  selection now(driver_);
  if (error lost = now.select()) return lost;
  constexpr double one = 1, none = 0;
  constexpr float short_one = 1, short_none = 0;
  const void* const alpha = p.is_double ? static_cast<const void*>(&one) : &short_one;
  const void* const beta = p.is_double ? static_cast<const void*>(&none) : &short_none;
  return to_error(functions_,
                  functions_.multiply(handle_, p.product.get(), alpha, b, p.b.get(), a, p.a.get(), beta, y, p.y.get(), y,
                                      p.y.get(), &p.chosen.by, workspace, workspace_of(p), s),
                  "cublasLtMatmul");
}

}
}
}  // namespace flowgraph::cuda
