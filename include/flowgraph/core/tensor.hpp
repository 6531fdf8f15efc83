#pragma once
// Tensors: typed n-dimensional arrays in reference-counted buffers. Copies of a tensor share its elements. Before a copy is written
// to, it gets its own elements.
//
//     fg::tensor<float> a({2, 2}, {1, 2, 3, 4});
//     float first = a[0];
//     a.writable()[0] = 5;                                    // other copies of `a` keep 1
//     auto b = fg::tensor<float>::borrow({256}, samples, {});   // the caller's memory, not copied
//
// A tensor may outlive the session that created it, but not the memory resource of its buffer.

#include <flowgraph/core/buffer.hpp>
#include <flowgraph/core/view.hpp>

#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A tensor whose element type is known only at run time. A default-constructed tensor is empty: its type is invalid, and it has no
// elements.
class any_tensor {
public:
  any_tensor() = default;
  any_tensor(const any_tensor&) = default;
  any_tensor& operator=(const any_tensor&) = default;
  any_tensor(any_tensor&& other) noexcept
      : buffer_(std::move(other.buffer_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
        type_(std::exchange(other.type_, dtype::invalid)), shape_(other.shape_) {}
  any_tensor& operator=(any_tensor&& other) noexcept {
    buffer_ = std::move(other.buffer_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    type_ = std::exchange(other.type_, dtype::invalid);
    shape_ = other.shape_;
    return *this;
  }

  // Allocates a tensor. Strings are empty, other elements are uninitialised. `shape` must be known.
  static result<any_tensor> allocate(dtype type, const shape& shape,
                                     std::pmr::memory_resource* from = std::pmr::new_delete_resource());
  // Allocates new elements for this tensor. If there is not enough memory or the shape is not known, returns false. If `from` is
  // the source of `kept`, large elements are in one of its blocks.
  bool emplace(dtype type, const flowgraph::shape& shape, std::pmr::memory_resource* from, large_memory* kept) noexcept;
  bool emplace(dtype type, const flowgraph::shape& shape, std::pmr::memory_resource* from) noexcept {
    return emplace(type, shape, from, nullptr);
  }
  static any_tensor over(dtype type, const shape& shape, buffer_ref buffer, void* data) {
    any_tensor t;
    t.buffer_ = std::move(buffer);
    t.data_ = data;
    t.size_ = static_cast<std::size_t>(shape.size());
    t.type_ = type;
    t.shape_ = shape;
    return t;
  }

  // Returns the element type; dtype::invalid if the tensor is empty.
  dtype type() const noexcept { return type_; }
  // Returns the extents.
  const flowgraph::shape& shape() const noexcept { return shape_; }
  // Returns the number of elements.
  std::size_t size() const noexcept { return size_; }
  // Returns the size of the elements in bytes.
  std::size_t bytes() const noexcept { return size_ * size_of(type_); }
  // Returns whether the tensor is not empty.
  bool has_value() const noexcept { return type_ != dtype::invalid; }

  // Returns the address of the first element.
  const void* data() const noexcept { return data_; }
  void* data() noexcept { return data_; }
  const buffer_ref& owner() const noexcept { return buffer_; }
  // Returns whether the host cannot access the elements. For planned memory, always returns false.
  bool is_far() const noexcept { return buffer_ && buffer_->is_far(); }
  // Returns whether the tensor owns its elements, so that they stay unchanged while the tensor exists. Returns false for memory of
  // the caller and for planned memory.
  bool is_owned() const noexcept { return buffer_ && !buffer_->is_borrowed(); }
  // Returns whether no other tensor sees a change that is made through this tensor.
  FLOWGRAPH_INLINED bool is_unique() const noexcept { return is_owned() && buffer_->is_unique(); }

  // Returns a tensor with the same elements in a different shape of the same size.
  any_tensor reshaped(const flowgraph::shape& shape) const {
    any_tensor t = *this;
    t.shape_ = shape;
    return t;
  }
  // Returns a copy with its own elements, which are allocated from `from`. `lies_in` is used only if this tensor has no buffer, as
  // for planned memory: it is the memory that contains the elements of this tensor, or null for the host's memory.
  result<any_tensor> copy(std::pmr::memory_resource* from = std::pmr::new_delete_resource(),
                          std::pmr::memory_resource* lies_in = nullptr) const;

  // Returns the elements. Precondition: type() == dtype_of<T>.
  template <class T> view<const T> as() const { return {static_cast<const T*>(data_), size_, shape_}; }
  // As above, for writing. All tensors that share the elements see the changes.
  template <class T> view<T> as_writable() { return {static_cast<T*>(data_), size_, shape_}; }

  // Makes this tensor share the elements of `other`, in a shape of the same size.
  void share(const any_tensor& other, const flowgraph::shape& shape) noexcept {
    buffer_ = other.buffer_;
    data_ = other.data_;
    size_ = other.size_;
    type_ = other.type_;
    shape_ = shape;
  }
  // Takes over the reference that `other` holds. `other` continues to refer to the elements, but no longer owns them.
  FLOWGRAPH_INLINED void take(any_tensor& other, const flowgraph::shape& shape) noexcept {
    buffer_ = std::move(other.buffer_);
    data_ = other.data_;
    size_ = other.size_;
    type_ = other.type_;
    shape_ = shape;
  }
  // Makes the tensor refer to other elements, which it does not own. Called when planned memory is moved.
  void point_to(void* data) noexcept { data_ = data; }

  void reset() noexcept {
    buffer_.reset();
    data_ = nullptr;
    size_ = 0;
    type_ = dtype::invalid;
  }

private:
  buffer_ref buffer_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
  dtype type_ = dtype::invalid;
  flowgraph::shape shape_;
};

// A tensor with elements of type T. Copies share their elements. Before a copy is written to, it gets its own elements.
template <class T> class tensor {
  static_assert(element<T>, "flowgraph: not an element type");

public:
  using element_type = T;

  tensor() = default;
  explicit tensor(const flowgraph::shape& shape) : base_(any_tensor::allocate(dtype_of<T>, shape).value()) {
    if constexpr (is_plain(dtype_of<T>))
      for (T& e : base_.as_writable<T>()) e = T{};
  }
  explicit tensor(std::initializer_list<flowgraph::dim> extents) : tensor(flowgraph::shape(extents)) {}
  tensor(const flowgraph::shape& shape, std::span<const T> values) : tensor(check(shape, values.size()), unfilled{}) {
    fill(values.data());
  }
  tensor(const flowgraph::shape& shape, std::initializer_list<T> values) : tensor(check(shape, values.size()), unfilled{}) {
    fill(values.begin());
  }
  // Creates a scalar. Raises an error if T is an integer type that does not have the number. This constructor is a template, so that
  // a list in braces is always a shape.
  template <class U>
    requires(std::is_convertible_v<U, T> && !std::is_convertible_v<U, flowgraph::shape> &&
             !std::is_base_of_v<tensor, std::remove_cvref_t<U>> &&
             !(std::is_same_v<T, bool> && std::is_pointer_v<std::decay_t<U>>))
  tensor(U&& value) : tensor(flowgraph::shape{}, unfilled{}) {
    using given = std::remove_cvref_t<U>;
    if constexpr (std::is_arithmetic_v<given> && std::is_integral_v<T> && !std::is_same_v<T, bool>)
      if (!has_number<T>(value)) not_in_range(std::to_string(value));
    *static_cast<T*>(base_.data()) = static_cast<T>(std::forward<U>(value));
  }

  // Creates a tensor over the caller's memory. `release` is called when the last tensor over this memory is destroyed. The library
  // never writes to the memory.
  static tensor borrow(const flowgraph::shape& shape, const T* data, unique_function<void()> release = {}) {
    if (!shape.is_known()) not_known(shape);
    if (!data && shape.size() != 0)
      detail::raise(flowgraph::detail::invalid_argument({"a tensor of shape ", shape, " cannot borrow a null pointer"}));
    const std::size_t bytes = static_cast<std::size_t>(shape.size()) * sizeof(T);
    buffer_ref counted(buffer::borrow(const_cast<T*>(data), bytes, std::move(release)));
    void* start = counted->data();
    return tensor(any_tensor::over(dtype_of<T>, shape, std::move(counted), start));
  }
  // Converts a tensor whose type is known only at run time. If the element type is not T, returns an error that names both types.
  // If the host cannot access the elements, also returns an error; use any_tensor::copy first.
  static result<tensor> from(any_tensor t) {
    if (t.type() != dtype_of<T>) return mistyped(t.type());
    if (t.is_far()) return far(t.shape());
    return tensor(std::move(t));
  }

  // Returns the shape; rank() and dim() return the number of axes and the extent of an axis.
  const flowgraph::shape& shape() const noexcept { return base_.shape(); }
  int rank() const noexcept { return base_.shape().rank; }
  std::int64_t dim(int axis) const noexcept { return base_.shape()[axis]; }
  // Returns the number of elements.
  std::size_t size() const noexcept { return base_.size(); }

  // Returns the address of the first element.
  const T* data() const noexcept { return static_cast<const T*>(base_.data()); }
  // Returns all elements in row-major order; t[i] is the element at position i in this order.
  std::span<const T> values() const noexcept { return {data(), size()}; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size(); }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  // Returns the element at the given indices, one for each axis.
  template <class... I> const T& operator()(I... index) const noexcept {
    std::int64_t offset = 0;
    int axis = 0;
    ((offset = offset * base_.shape()[axis++] + static_cast<std::int64_t>(index)), ...);
    return data()[offset];
  }
  // Returns the value of a tensor with one element.
  const T& scalar() const& {
    if (size() != 1) not_scalar();
    return *data();
  }
  T scalar() && { return std::as_const(*this).scalar(); }

  // Returns the elements for writing. If they are shared, the tensor gets its own copy first.
  std::span<T> writable() {
    if (!base_.is_unique()) base_ = base_.copy().value();
    return {static_cast<T*>(base_.data()), size()};
  }

  // Returns a tensor with the same elements in a different shape of the same size.
  tensor reshaped(const flowgraph::shape& shape) const { return tensor(base_.reshaped(check(shape, size()))); }

  // Returns the same tensor without its static element type.
  const any_tensor& erased() const& noexcept { return base_; }
  any_tensor&& erased() && noexcept { return std::move(base_); }
  operator view<const T>() const { return base_.as<T>(); }

private:
  struct unfilled {};
  explicit tensor(any_tensor base) : base_(std::move(base)) {}
  tensor(const flowgraph::shape& shape, unfilled) : base_(any_tensor::allocate(dtype_of<T>, shape).value()) {}

  void fill(const T* values) {
    for (T& e : base_.as_writable<T>()) e = *values++;
  }
  static const flowgraph::shape& check(const flowgraph::shape& shape, std::size_t size) {
    if (!shape.is_known() || static_cast<std::size_t>(shape.size()) != size) wrong_size(shape, size);
    return shape;
  }
  [[noreturn]] FLOWGRAPH_COLD static void wrong_size(const flowgraph::shape& shape, std::size_t size) {
    detail::raise(flowgraph::detail::invalid_argument({"a tensor of shape ", shape, " cannot hold ", size, " values"}));
  }
  // Returns whether an integer type has this number.
  template <class I, class U> static constexpr bool has_number(U value) {
    if constexpr (std::is_floating_point_v<U>) {
      // The bounds are powers of two, so a floating point type has them, unlike the largest integer.
      constexpr U beyond = static_cast<U>(std::numeric_limits<I>::max() / 2 + 1) * 2;
      return value < beyond && value >= (std::is_signed_v<I> ? -beyond : U(0)) && static_cast<U>(static_cast<I>(value)) == value;
    } else {
      const I result = static_cast<I>(value);
      if constexpr (std::is_signed_v<U> && !std::is_signed_v<I>) return value >= 0 && static_cast<U>(result) == value;
      else if constexpr (std::is_signed_v<I> && !std::is_signed_v<U>) return result >= 0 && static_cast<U>(result) == value;
      else return static_cast<U>(result) == value;
    }
  }
  [[noreturn]] FLOWGRAPH_COLD static void not_in_range(const std::string& value) {
    detail::raise(flowgraph::detail::invalid_argument({name_of(dtype_of<T>), " does not have the number ", value}));
  }
  [[noreturn]] FLOWGRAPH_COLD static void not_known(const flowgraph::shape& shape) {
    detail::raise(flowgraph::detail::invalid_argument({"a tensor cannot have the shape ", shape}));
  }
  [[noreturn]] FLOWGRAPH_COLD void not_scalar() const {
    detail::raise(flowgraph::detail::invalid_argument({"scalar() of a tensor of shape ", shape()}));
  }
  FLOWGRAPH_COLD static flowgraph::error mistyped(dtype found) {
    return flowgraph::detail::invalid_argument({"expected a tensor of ", name_of(dtype_of<T>), ", found ", name_of(found)});
  }
  FLOWGRAPH_COLD static flowgraph::error far(const flowgraph::shape& s) {
    return flowgraph::error(error_code::failed_precondition,
                            message{"the tensor ", name_of(dtype_of<T>), s, " lies in the memory of a device: copy() brings it"});
  }

  any_tensor base_;
};

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/tensor.hpp>
#endif
