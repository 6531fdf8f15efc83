#pragma once

#include <flowgraph/core/threads.hpp>
#include <flowgraph/formats/click_stream.hpp>
#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/ops/data_flow/detail/awaited.hpp>
#include <flowgraph/ops/input/click_source.hpp>
#include <flowgraph/ops/input/impl/clicks.hpp>

#include <array>
#include <cstring>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The resource: the stream of an epoch, and the position behind the last batch that a run has taken.
class click_source_state final : public resource_base, private savable {
public:
  explicit click_source_state(const click_source_op& of) : resource_base(kind_of<click_source_state>()), of_(of) {}

  savable* as_savable() noexcept override { return this; }
  const click_source_op& declared() const noexcept { return of_; }

  error next(click_batch& to, std::int64_t& skipped) {
    const threading::lock_guard lock(mutex_);
    while (of_.epochs < 0 || epoch_ < static_cast<std::uint64_t>(of_.epochs)) {
      if (!stream_)
        if (error why = open()) return why;
      const auto more = stream_->next(to);
      if (!more) return more.error();
      at_ = stream_->position();
      if (*more) {
        has_rows_ = true;
        skipped = static_cast<std::int64_t>(of_.without_cache ? at_.skipped : skipped_in_cache_);
        return {};
      }
      if (!has_rows_) return error(error_code::out_of_range, message{"'", of_.path, "' contains no samples"});
      stream_.reset();
      at_ = {};
      ++epoch_;
    }
    return error(error_code::out_of_range, message{"all ", of_.epochs, " epochs of '", of_.path, "' were read"});
  }

private:
  using numbers = std::array<std::uint64_t, 6>;

  error open() {
    click_options how;
    how.format = of_.has_fields ? click_format::libffm : click_format::libsvm;
    how.hash_keys = of_.hash_keys;
    how.hash_seed = static_cast<std::uint64_t>(of_.hash_seed);
    how.buckets = static_cast<std::uint64_t>(of_.buckets);
    how.skip_malformed = of_.skip_malformed;
    click_stream_options o{.rows = static_cast<std::size_t>(of_.rows), .ahead = static_cast<std::size_t>(of_.ahead), .from = at_};
    if (of_.without_cache) {
      auto text = click_reader::open(of_.path, how);
      if (!text) return text.error();
      stream_.emplace(*std::move(text), o);
      return {};
    }
    auto cache = open_clicks(of_.path, how);
    if (!cache) return cache.error();
    if (of_.seed != 0) o.seed = static_cast<std::uint64_t>(of_.seed) + epoch_;
    skipped_in_cache_ = cache->skipped();
    stream_.emplace(*std::move(cache), o);
    return {};
  }

  result<std::string> save() const override {
    const threading::lock_guard lock(mutex_);
    const numbers all{epoch_, at_.at, at_.row, at_.skipped, at_.seed, has_rows_ ? 1u : 0u};
    std::string text;
    for (const std::uint64_t n : all)
      for (int shift = 0; shift < 64; shift += 8) text += static_cast<char>((n >> shift) & 0xff);
    return text;
  }
  error load(std::string_view bytes, std::pmr::memory_resource*) override {
    numbers all{};
    if (bytes.size() != all.size() * 8)
      return error(error_code::data_loss, message{"expected ", all.size() * 8, " bytes, found ", bytes.size()});
    for (std::size_t i = 0; i < bytes.size(); ++i)
      all[i / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (i % 8 * 8);
    const threading::lock_guard lock(mutex_);
    stream_.reset();
    epoch_ = all[0];
    at_ = {all[1], all[2], all[3], all[4]};
    has_rows_ = all[5] != 0;
    return {};
  }

  const click_source_op of_;
  mutable threading::mutex mutex_;
  std::optional<click_stream> stream_;
  std::uint64_t epoch_ = 0, skipped_in_cache_ = 0;
  click_position at_;
  bool has_rows_ = false;  // some epoch had samples
};

FLOWGRAPH_SELDOM error check_click_source(const click_source_op& op) {
  const auto refuse = [](std::string_view what, std::int64_t found) { return invalid_argument({what, ", found ", found}); };
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (op.rows < 1 || op.rows > most) return refuse(message{"rows must be 1 to ", most}.string(), op.rows);
  if (op.ahead < 0 || op.ahead > 1000) return refuse("ahead must be 0 to 1000", op.ahead);
  if (op.epochs < -1) return refuse("epochs must be at least -1", op.epochs);
  if (op.buckets < 0) return refuse("buckets must be at least 0", op.buckets);
  if (op.without_cache && op.seed != 0) return refuse("without a cache, seed must be 0", op.seed);
  return {};
}

}  // namespace detail

FLOWGRAPH_INLINE void click_source_op::operator()(cpu ctx, unsized<resource> handle) const {
  using detail::click_source_state;
  if (error why = detail::check_click_source(*this)) return ctx.fail(why);
  const std::string called = detail::name_of_awaited(ctx, shared_name);
  auto found = ctx.resources().find_or_make(container, called, kind_of<click_source_state>(),
                                            [&]() -> resource_base* { return new click_source_state(*this); });
  if (!found) return ctx.fail(found.error());
  const click_source_op& result = found->as<click_source_state>()->declared();
  if (result.path != path || result.has_fields != has_fields || result.rows != rows || result.seed != seed)
    return ctx.fail(message{"the source '", called, "' reads ", result.rows, " rows of '", result.path, "' with seed ",
                            result.seed, ", expected ", rows, " rows of '", path, "' with seed ", seed});
  detail::hand_out(ctx, *found, handle);
}

FLOWGRAPH_INLINE void click_source_next_op::operator()(cpu ctx, view<const resource>, unsized<float> labels,
                                                       unsized<std::int64_t> splits, unsized<std::int64_t> keys,
                                                       unsized<float> values, view<std::int64_t> skipped,
                                                       unsized<std::int32_t> fields) const {
  const resource held = detail::named_awaited(ctx, kind_of<detail::click_source_state>(), "a source of clicks");
  if (!held.base) return;
  click_batch result;
  if (error why = held.as<detail::click_source_state>()->next(result, skipped.scalar())) return ctx.fail(why);
  detail::put_batch(result, labels, splits, keys, values);
  detail::put_clicks(fields, result.fields);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
