#pragma once
// Products of matrices by cuBLASLt.
//
// The algorithm of a product depends only on its sizes, its type and whether its addresses are multiples of 16. No algorithm
// divides the inner axis among blocks, and none rounds operands to TF32.

#include <cuda/device/cublaslt.hpp>
#include <cuda/device/driver.hpp>

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// A stack of products y = a b of matrices in row-major order. `a` has `rows` rows and `b` has `columns` columns.
struct product_sizes {
  dtype type = dtype::invalid;
  std::int64_t rows = 0, columns = 0, inner = 0, matrices = 1;
  std::int64_t a_step = 0, b_step = 0;  // between the matrices of the stack, in elements; 0: all products have the same operand
  bool turned_a = false, turned_b = false;  // the memory contains the transpose of the operand
  bool aligned = true;                      // all addresses are multiples of 16

  auto operator<=>(const product_sizes&) const = default;
};

class product_plan;

// The library on one GPU. Any thread may call it.
class product_library {
public:
  // The largest number of bytes that an algorithm may use.
  static constexpr std::uint64_t most_workspace = std::uint64_t{32} << 20;
  // The largest number of plans that are kept.
  static constexpr std::size_t most_plans = 1024;

  // Opens the library that the driver has. Returns an error that names the missing part.
  static result<std::unique_ptr<product_library>> open(driver& by);
  ~product_library();
  product_library(const product_library&) = delete;
  product_library& operator=(const product_library&) = delete;

  // Returns the plan of a product, or null if the library has no algorithm for it.
  result<std::shared_ptr<const product_plan>> plan(const product_sizes& p);
  // Requests a product. `workspace` has the number of bytes that the plan needs.
  error multiply(const product_plan& p, const void* a, const void* b, void* y, void* workspace, stream s);
  static std::size_t workspace_of(const product_plan& p);

  // Returns the name and the version, for example "cuBLASLt 13.1.0".
  std::string name() const;

private:
  product_library(driver& by, const cublaslt::functions& f) : driver_(by), functions_(f) {}
  result<std::shared_ptr<const product_plan>> make_plan(const product_sizes& p);

  driver& driver_;
  const cublaslt::functions& functions_;
  cublaslt::handle handle_ = nullptr;
  std::mutex mutex_;  // guards plans_
  std::map<product_sizes, std::shared_ptr<const product_plan>> plans_;
};

}
}
}  // namespace flowgraph::cuda
