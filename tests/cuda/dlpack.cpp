#include <flowgraph/cuda/dlpack.hpp>

#include "emulation/doubling.hpp"

#include <flowgraph/ops/state/variable.hpp>

#include <doctest/doctest.h>

namespace {

namespace fg = flowgraph;
using namespace emulation;
namespace dlpack = fg::cuda::dlpack;

// A tensor of another library in the memory of an emulated GPU. A stream of this library fills the tensor.
struct foreign_tensor {
  fg::cuda::driver& by;
  fg::cuda::stream stream = by.make_stream().value();
  std::int64_t extents[1] = {100};
  std::int64_t strides[1] = {1};
  int deleted = 0;
  dlpack::managed_tensor managed;

  explicit foreign_tensor(const emulation::emulated& gpu) : by(gpu.gpu().own_memory().by()) {
    const fg::tensor<float> numbers = counted(100);
    managed.tensor = {by.allocate(400, stream).value(),
                      {dlpack::device_kind::cuda, by.index()},
                      1,
                      {dlpack::number_kind::real, 32, 1},
                      extents,
                      strides,
                      0};
    CHECK_FALSE(by.copy_in(numbers.data(), managed.tensor.data, 400, stream));
    managed.context = this;
    managed.deleter = [](dlpack::managed_tensor* self) { ++static_cast<foreign_tensor*>(self->context)->deleted; };
  }
  ~foreign_tensor() {
    CHECK_FALSE(by.free(managed.tensor.data, stream));
    CHECK_FALSE(by.synchronize(stream));
    by.destroy_stream(stream);
  }
};

}  // namespace

TEST_CASE("another library reads a tensor after the kernels that compute it") {
  int wrong = 0;
  for (const bool has_events : {true, false})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto counts = std::make_shared<emulation::state>();
      counts->fault = has_events ? emulation::planted::none : emulation::planted::no_events;
      const auto gpu = emulation::try_open(seed, counts).value();
      auto& memory = gpu.gpu().own_memory();
      fg::cuda::driver& by = memory.by();
      const fg::cuda::stream reader = by.make_stream().value();
      const fg::any_tensor made = fg::any_tensor::allocate(fg::dtype::float32, fg::shape{100}, &memory).value();
      const fg::tensor<float> numbers = counted(100);
      memory.copy_in(numbers.data(), const_cast<void*>(made.data()), 400);
      dlpack::managed_tensor* const given = dlpack::to_dlpack(made, reader).value();
      CHECK(given->tensor.rank == 1);
      CHECK(given->tensor.extents[0] == 100);
      fg::tensor<float> read(fg::shape{100});
      CHECK_FALSE(by.copy_out(given->tensor.data, read.writable().data(), 400, reader));
      CHECK_FALSE(by.synchronize(reader));
      if (has_events) CHECK(is_counted_by(read, 1, 0));
      else wrong += !is_counted_by(read, 1, 0);
      given->deleter(given);
      by.destroy_stream(reader);
    }
  CHECK(wrong > 3);
}

TEST_CASE("a tensor of another library is read after its stream, never changed, and deleted once") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const emulation::emulated gpu = emulation::open(seed);
    foreign_tensor other(gpu);
    const doubling model;
    fg::session s{model.g, {.devices = gpu.devices}};
    {
      const floats t = fg::cuda::from_dlpack<float>(&other.managed, gpu.devices[0], other.stream).value();
      CHECK(t.data() == other.managed.tensor.data);
      CHECK(is_counted_by(t.to_host().value(), 1, 0));
      CHECK(is_counted_by(model.run(s, t).value().to_host().value(), 2, 1));
      CHECK(is_counted_by(t.to_host().value(), 1, 0));
      CHECK(other.deleted == 0);
    }
    CHECK(other.deleted == 0);
    REQUIRE_FALSE(gpu.gpu().own_memory().finish());
    CHECK(other.deleted == 1);
    REQUIRE_FALSE(gpu.gpu().own_memory().finish());
    CHECK(other.deleted == 1);
    CHECK(gpu.gpu().own_memory().adopted() == 0);
  }
}

TEST_CASE("a variable copies a tensor of another library before it changes") {
  const emulation::emulated gpu = emulation::open(5);
  foreign_tensor other(gpu);
  {
    fg::graph g;
    const auto fed = g.placeholder<fg::variant>("fed", fg::shape{});
    const auto v = g.variable<float>("v", counted(100));
    const auto set = fg::assign(v, fg::values_of<float>(fed));
    const auto grown = fg::assign_add(v, g.constant(fg::tensor<float>(fg::shape{100})) + 3.f);
    fg::session s{g, {.devices = gpu.devices}};
    s.initialize();
    const floats t = fg::cuda::from_dlpack<float>(&other.managed, gpu.devices[0], other.stream).value();
    REQUIRE(s.try_run(fg::fetch(set), {{fed, t.to_feed()}}).has_value());
    CHECK(is_counted_by(s.run(fg::fetch(grown)), 1, 3));
    CHECK(is_counted_by(t.to_host().value(), 1, 0));
  }
  static_cast<void>(gpu.gpu().own_memory().finish());
  CHECK(other.deleted == 1);
}

TEST_CASE("a tensor of another GPU, with gaps or of unknown elements is refused and stays with its owner") {
  const auto counts = std::make_shared<emulation::state>();
  counts->index = 3;
  const auto gpu = emulation::try_open(1, counts).value();
  foreign_tensor other(gpu);
  const auto refusal = [&](auto&& change) {
    dlpack::managed_tensor wrong = other.managed;
    change(wrong.tensor);
    const auto made = dlpack::from_dlpack(&wrong, gpu.devices[0]);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code() == fg::error_code::invalid_argument);
    return std::string(made.error().what());
  };
  CHECK(refusal([](auto& t) { t.device.index = 0; }).find("expected GPU 3") != std::string::npos);
  refusal([](auto& t) { t.device.kind = dlpack::device_kind::cpu; });
  refusal([](auto& t) { t.type.lanes = 4; });
  refusal([](auto& t) { t.type.bits = 7; });
  refusal([](auto& t) { t.rank = 400; });
  refusal([](auto& t) { t.data = nullptr; });
  CHECK(refusal([](auto& t) { t.byte_offset = 6; }).find("2 bytes behind a multiple of 4") != std::string::npos);
  CHECK(refusal([](auto& t) {
          t.type = {dlpack::number_kind::complex, 64, 1}, t.byte_offset = 4;
        }).find("4 bytes behind a multiple of 8") != std::string::npos);
  std::int64_t two = 2, negative = -1;
  refusal([&](auto& t) { t.strides = &two; });
  refusal([&](auto& t) { t.extents = &negative; });
  CHECK_FALSE(dlpack::from_dlpack(nullptr, gpu.devices[0]).has_value());
  const fg::device cpu("cpu:0");
  CHECK_FALSE(dlpack::from_dlpack(&other.managed, cpu).has_value());
  CHECK(other.deleted == 0);
  CHECK_FALSE(dlpack::to_dlpack(counted(3).erased()).has_value());
}

TEST_CASE("a tensor of another library without elements needs no address") {
  const emulation::emulated gpu = emulation::open(1);
  foreign_tensor other(gpu);
  dlpack::managed_tensor empty = other.managed;
  std::int64_t none = 0;
  empty.tensor.data = nullptr;
  empty.tensor.extents = &none;
  {
    const floats first = fg::cuda::from_dlpack<float>(&empty, gpu.devices[0], other.stream).value();
    const floats second = fg::cuda::from_dlpack<float>(&empty, gpu.devices[0]).value();
    CHECK(first.to_host().value().size() == 0);
  }
  REQUIRE_FALSE(gpu.gpu().own_memory().finish());
  CHECK(other.deleted == 2);
  CHECK(gpu.gpu().own_memory().adopted() == 0);
}

TEST_CASE("the memory of a tensor is used again after another library has read it") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const emulation::emulated gpu = emulation::open(seed);
    auto& memory = gpu.gpu().own_memory();
    fg::cuda::driver& by = memory.by();
    const fg::cuda::stream reader = by.make_stream().value();
    fg::any_tensor made = fg::any_tensor::allocate(fg::dtype::float32, fg::shape{100}, &memory).value();
    const fg::tensor<float> numbers = counted(100);
    memory.copy_in(numbers.data(), const_cast<void*>(made.data()), 400);
    dlpack::managed_tensor* const given = dlpack::to_dlpack(made, reader).value();
    made = {};
    fg::tensor<float> read(fg::shape{100});
    CHECK_FALSE(by.copy_out(given->tensor.data, read.writable().data(), 400, reader));
    given->deleter(given);
    CHECK_FALSE(memory.finish());
    CHECK_FALSE(by.synchronize(reader));
    CHECK(is_counted_by(read, 1, 0));
    by.destroy_stream(reader);
  }
}
