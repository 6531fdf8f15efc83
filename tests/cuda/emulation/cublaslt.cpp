// A stand-in for cuBLASLt.
#include "cublaslt.hpp"

#include "driver.hpp"

#include <flowgraph/core/half.hpp>

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

// The objects of the library.
namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda::cublaslt {

struct handle_object {
  int gpu;
};
struct layout_object {
  int type;
  std::uint64_t rows, columns;
  std::int64_t column_step;
  std::int32_t count = 1;
  std::int64_t step = 0;

  auto operator<=>(const layout_object&) const = default;
};
struct product_object {
  int compute, scale_type;
  std::int32_t turns_a = 0, turns_b = 0;
};
struct preference_object {
  std::uint64_t workspace = 0, implementations = ~std::uint64_t{0};
  std::uint32_t reductions = 7, alignments[4] = {256, 256, 256, 256};
};

}
}
}  // namespace flowgraph::cuda::cublaslt

namespace emulation::stand_in {

namespace {

namespace status = lt::status;

// Returns the status of a call: success, or the failure that a test has planted.
int count() { return ++counted().calls == counted().failing ? counted().status : status::success; }

template <class Object> int create(Object** place, const Object& made) {
  if (const int why = count()) return why;
  if (!place) return status::invalid_value;
  *place = new Object(made);
  ++counted().objects;
  return status::success;
}
template <class Object> int destroy(Object* object) {
  if (!object) return status::invalid_value;
  delete object;
  --counted().objects;
  return count();
}
template <class T> int assign(T& to, const void* value, std::size_t bytes) {
  if (!value || bytes != sizeof to) return status::invalid_value;
  std::memcpy(&to, value, bytes);
  return status::success;
}

int create_handle(lt::handle* place) {
  if (driver::current_gpu() < 0) return status::not_initialized;
  return create(place, {driver::current_gpu()});
}
std::size_t version() { return 130102; }
const char* name_of(int found) {
  switch (found) {
    case status::success: return "CUBLAS_STATUS_SUCCESS";
    case status::execution_failed: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case status::allocation_failed: return "CUBLAS_STATUS_ALLOC_FAILED";
    case status::invalid_value: return "CUBLAS_STATUS_INVALID_VALUE";
    default: return "another status";
  }
}

int create_layout(lt::layout* place, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t column_step) {
  if (rows == 0 || columns == 0 || column_step < static_cast<std::int64_t>(rows)) return status::invalid_value;
  return create(place, {type, rows, columns, column_step});
}
int set_layout(lt::layout to, int attribute, const void* value, std::size_t bytes) {
  if (const int why = count()) return why;
  switch (attribute) {
    case lt::of_layout::batch_count: return assign(to->count, value, bytes);
    case lt::of_layout::batch_step: return assign(to->step, value, bytes);
    default: return status::invalid_value;
  }
}

int create_product(lt::product* place, int compute, int scale_type) { return create(place, {compute, scale_type}); }
int set_product(lt::product to, int attribute, const void* value, std::size_t bytes) {
  if (const int why = count()) return why;
  switch (attribute) {
    case lt::of_product::turns_a: return assign(to->turns_a, value, bytes);
    case lt::of_product::turns_b: return assign(to->turns_b, value, bytes);
    default: return status::invalid_value;
  }
}

int create_preference(lt::preference* place) { return create(place, lt::preference_object()); }
int set_preference(lt::preference to, int attribute, const void* value, std::size_t bytes) {
  if (const int why = count()) return why;
  switch (attribute) {
    case lt::of_preference::workspace: return assign(to->workspace, value, bytes);
    case lt::of_preference::reductions: return assign(to->reductions, value, bytes);
    case lt::of_preference::implementations: return assign(to->implementations, value, bytes);
    case lt::of_preference::alignment_a:
    case lt::of_preference::alignment_b:
    case lt::of_preference::alignment_c:
    case lt::of_preference::alignment_d: return assign(to->alignments[attribute - lt::of_preference::alignment_a], value, bytes);
    default: return status::invalid_value;
  }
}

std::size_t bytes_of(int type) { return type == lt::type::float64 ? 8 : type == lt::type::float32 ? 4 : 2; }

// The extents of one product: d has `down` rows and `across` columns.
struct extents {
  std::uint64_t down, across, inner;
};
// Returns whether the objects describe a product.
bool is_product(const lt::product_object& p, const lt::layout_object& a, const lt::layout_object& b, const lt::layout_object& c,
                const lt::layout_object& d, extents& e) {
  e.down = p.turns_a ? a.columns : a.rows;
  e.inner = p.turns_a ? a.rows : a.columns;
  e.across = p.turns_b ? b.rows : b.columns;
  const bool is_double = d.type == lt::type::float64;
  return (p.turns_b ? b.columns : b.rows) == e.inner && d.rows == e.down && d.columns == e.across && c == d && a.type == d.type &&
         b.type == d.type && a.count == d.count && b.count == d.count && d.count > 0 &&
         (d.count == 1 || d.step >= static_cast<std::int64_t>(e.across) * d.column_step) &&
         p.compute == (is_double ? lt::compute::float64 : lt::compute::float32) &&
         p.scale_type == (is_double ? lt::type::float64 : lt::type::float32);
}

// The words of an algorithm.
enum word : std::size_t { mark, parts, reduction, alignment, workspace, down, across, inner_word };
constexpr std::uint64_t marked = 0x57a4d117;

int find_algorithms(lt::handle by, lt::product p, lt::layout a, lt::layout b, lt::layout c, lt::layout d, lt::preference wanted,
                    int most, lt::found_algorithm* found, int* written) {
  if (const int why = count()) return why;
  ++counted().searches;
  extents e;
  if (by->gpu != driver::current_gpu() || !is_product(*p, *a, *b, *c, *d, e) || most < 4) return status::invalid_value;
  if (wanted->reductions != lt::no_reduction || (wanted->implementations & lt::rounds_to_tf32)) return status::invalid_value;
  *written = 0;
  if (e.inner == refused_inner) return status::not_supported;
  const auto add = [&](std::uint64_t blocks, std::uint64_t how, std::uint64_t needed, std::uint64_t bytes, int state) {
    found[(*written)++] = {{{marked, blocks, how, needed, bytes, e.down, e.across, e.inner}}, bytes, state, 1, {}};
  };
  add(4, 2, 2, 4096, status::success);
  add(1, 0, 2, 0, status::not_supported);
  add(1, 1, 2, 0, status::success);
  if (e.inner == divided_inner) return status::success;
  const bool aligned = *std::min_element(wanted->alignments, wanted->alignments + 4) >= 16;
  const std::uint64_t bytes = e.inner > 8 && wanted->workspace >= 4096 ? 4096 : 0;
  add(1, 0, aligned ? 16 : bytes_of(d->type), bytes, status::success);
  return status::success;
}
int get_algorithm(const lt::algorithm* of, int attribute, void* value, std::size_t bytes, std::size_t* written) {
  if (const int why = count()) return why;
  if (bytes != 4 || of->data[mark] != marked) return status::invalid_value;
  const auto found = static_cast<std::uint32_t>(attribute == lt::of_algorithm::parts_of_inner ? of->data[parts]
                                                : attribute == lt::of_algorithm::reduction    ? of->data[reduction]
                                                                                              : 0);
  std::memcpy(value, &found, *written = sizeof found);
  return status::success;
}

// One operand in memory: the element (i, j) of the matrix number `k` of a stack.
template <class T> struct operand {
  T* data;
  lt::layout_object of;
  bool is_turned;
  T& at(std::int32_t k, std::uint64_t i, std::uint64_t j) const {
    if (is_turned) std::swap(i, j);
    return data[k * of.step + static_cast<std::int64_t>(j) * of.column_step + static_cast<std::int64_t>(i)];
  }
};

template <class T, class Sum>
void compute(const extents& e, const operand<const T>& a, const operand<const T>& b, const operand<T>& d) {
  for (std::int32_t k = 0; k < d.of.count; ++k)
    for (std::uint64_t i = 0; i < e.down; ++i)
      for (std::uint64_t j = 0; j < e.across; ++j) {
        Sum sum = 0;
        for (std::uint64_t n = e.inner; n-- > 0;) sum += static_cast<Sum>(a.at(k, i, n)) * static_cast<Sum>(b.at(k, n, j));
        d.at(k, i, j) = static_cast<T>(sum);
      }
}

bool is_number(const void* scalar, int type, double number) {
  return type == lt::type::float64 ? *static_cast<const double*>(scalar) == number
                                   : static_cast<double>(*static_cast<const float*>(scalar)) == number;
}

int multiply(lt::handle by, lt::product p, const void* alpha, const void* a, lt::layout of_a, const void* b, lt::layout of_b,
             const void* beta, const void* c, lt::layout of_c, void* d, lt::layout of_d, const lt::algorithm* how, void* room,
             std::size_t bytes, void* stream) {
  if (const int why = count()) return why;
  extents e;
  if (by->gpu != driver::current_gpu() || !is_product(*p, *of_a, *of_b, *of_c, *of_d, e) || c != d ||
      !is_number(alpha, p->scale_type, 1) || !is_number(beta, p->scale_type, 0))
    return status::invalid_value;
  const auto& words = how->data;
  if (words[mark] != marked || words[parts] != 1 || words[reduction] != 0 || words[down] != e.down || words[across] != e.across ||
      words[inner_word] != e.inner || bytes < words[workspace] || (words[workspace] > 0 && !room))
    return status::invalid_value;
  for (const void* const address : {a, b, c, static_cast<const void*>(d)})
    if (reinterpret_cast<std::uintptr_t>(address) % words[alignment] != 0) return status::invalid_value;
  ++counted().products;
  if (words[alignment] == 16) ++counted().with_packs;
  const auto run = [=, turns_a = p->turns_a == lt::is_turned, turns_b = p->turns_b == lt::is_turned, of_a = *of_a, of_b = *of_b,
                    of_d = *of_d] {
    if (bytes > 0) std::memset(room, 0x6b, bytes);
    const auto start = [&]<class T, class Sum>(std::type_identity<T>, std::type_identity<Sum>) {
      compute<T, Sum>(e, {static_cast<const T*>(a), of_a, turns_a}, {static_cast<const T*>(b), of_b, turns_b},
                      {static_cast<T*>(d), of_d, false});
    };
    if (of_d.type == lt::type::float64) start(std::type_identity<double>(), std::type_identity<double>());
    else if (of_d.type == lt::type::float32) start(std::type_identity<float>(), std::type_identity<float>());
    else start(std::type_identity<fg::half>(), std::type_identity<float>());
  };
  return driver::enqueue_in(stream, run) ? status::success : status::invalid_value;
}

lt::functions make_functions() {
  lt::functions made;
  made.create = create_handle;
  made.destroy = destroy;
  made.version = version;
  made.name_of = name_of;
  made.create_layout = create_layout;
  made.destroy_layout = destroy;
  made.set_layout = set_layout;
  made.create_product = create_product;
  made.destroy_product = destroy;
  made.set_product = set_product;
  made.create_preference = create_preference;
  made.destroy_preference = destroy;
  made.set_preference = set_preference;
  made.find_algorithms = find_algorithms;
  made.get_algorithm = get_algorithm;
  made.multiply = multiply;
  return made;
}

}  // namespace

counters& counted() {
  static counters all;
  return all;
}

const lt::functions& functions() {
  static const lt::functions all = make_functions();
  return all;
}

void* find(const char* name) {
  lt::functions all = functions();
  void* found = nullptr;
  lt::each_function(all, [&](const char* own, auto& function) {
    if (std::string_view(own) == name) std::memcpy(&found, &function, sizeof found);
  });
  return found;
}

}  // namespace emulation::stand_in
