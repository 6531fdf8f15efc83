#pragma once
// Lays out the schedule of a prepared step: infers shapes from those of the feeds, folds constants, places memory, and adds calls.

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/passes/fold_constants.hpp>
#include <flowgraph/runtime/schedule/detail/arena_plan.hpp>
#include <flowgraph/runtime/schedule/detail/known_call.hpp>
#include <flowgraph/runtime/schedule/impl/arena_variables.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class arena_schedule_builder {
public:
  arena_schedule_builder(arena_schedule& result, session_state& session, const planned& p)
      : schedule_(result), plan_(result.plan_), session_(session), planned_(p), info_(result.plan_.frames[0].slots),
        last_use_(info_.size(), 0), variables_(schedule_, plan_, items_),
        folding_(session.options.passes, constant_folding::stage::schedule) {}

  error build() {
    schedule_.generation_ = session_.services.resources->generation();
    schedule_.slots_.resize(info_.size());
    schedule_.fed_.resize(plan_.feeds.size());
    find_last_uses();
    for (std::uint32_t i = 0; i < plan_.records.size(); ++i)
      if (error why = lay(i)) return failed_at(why, *plan_.records[i].site);
    if (error why = place_memory()) return why;
    write_calls();
    place_fetches();
    schedule_.account_.folded = folding_.report().changed;
    schedule_.account_.too_large = folding_.report().too_large;
    variables_.warm();
    return {};
  }

private:
  static constexpr std::uint32_t forever = 0xffffffffu;
  enum class value_kind : std::uint8_t { none, arena, constant, feed, reference, counted, read };
  struct slot_info {
    value_kind kind = value_kind::none;
    std::uint32_t storage = no_index;
    bool dynamic = false;           // shape not known before the run
    std::uint32_t pin = no_index;   // for the value of a variable: the pin that counts it
    std::uint32_t feed = no_index;  // for the value of a feed: its index
  };
  using stop = arena_item::stop;
  using item = arena_item;

  const input_ref& input(const plan_record& r, std::uint32_t k) const { return plan_.inputs[r.first_input + k]; }
  any_tensor& tensor_of(std::uint32_t slot) { return schedule_.slots_[slot].value.tensor; }
  const any_tensor& tensor_of(const input_ref& in) const {
    return in.is_constant ? plan_.constants[in.index].tensor : schedule_.slots_[in.index].value.tensor;
  }
  bool is_constant(const input_ref& in) const { return in.is_constant || info_[in.index].kind == value_kind::constant; }

  void find_last_uses() {
    for (std::uint32_t i = 0; i < plan_.records.size(); ++i)
      for (std::uint32_t k = 0; k < plan_.records[i].input_count; ++k)
        if (const input_ref& in = input(plan_.records[i], k); !in.is_constant) last_use_[in.index] = i;
    for (const input_ref& f : plan_.fetches)
      if (!f.is_constant) last_use_[f.index] = forever;
  }

  error lay(std::uint32_t i) {
    const plan_record& r = plan_.records[i];
    if (r.kind == record_kind::feed) {
      const auto feed = static_cast<std::uint32_t>(std::find(plan_.feeds.begin(), plan_.feeds.end(), i) - plan_.feeds.begin());
      info_[r.first_slot] = {.kind = value_kind::feed, .feed = feed};
      schedule_.fed_[feed].push_back(r.first_slot);
      tensor_of(r.first_slot) = any_tensor::over(planned_.feeds[feed].type(), schedule_.feed_shapes_[feed], {}, nullptr);
      return {};
    }
    if (r.table->description->placeholder) return run_now(r);
    if (r.binding != no_index) return bind(r);
    pass_references(r);
    if (fold(i)) return {};
    const bool passes = passes_inputs(r);
    if (passes && !r.table->stateful) return share_inputs(r);
    sequence<shape> shapes;
    bool is_decided = true;
    if (error why = call_of(r).infer(r, shapes, is_decided)) return why;
    if (!is_decided || has_dynamic_input(r)) return lay_dynamic(i);
    if (r.table->alias || r.table->crosses) {
      const input_ref& in = input(r, 0);
      if (in.dereference && variables_.may_change_shape(in.index)) return lay_dynamic(i);
      if (r.table->alias) return share(r, 0, shapes[0]);
    }
    return passes && is_placed(input(r, 0)) ? lay_passing(i) : lay_static(i, shapes);
  }

  error run_now(const plan_record& r) { return run_now(r, schedule_.services_); }
  error run_now(const plan_record& r, const run_services& services) {
    call_frame& f = schedule_.frame_;
    if (f.prepare(plan_, r, schedule_.slots_.data(), schedule_.slots_.data(), services) && r.kernel) f.invoke(r);
    f.finish();
    return f.take_failure();
  }
  // Runs a node for folding, with at most twice as much memory as may be kept, and a megabyte more.
  error run_limited(const plan_record& r) {
    if (schedule_.services_.of_devices) return run_now(r);
    std::size_t most = session_.options.passes.folded_bytes;
    for (std::uint32_t k = 0; k < r.input_count; ++k)
      if (is_constant(input(r, k))) most = std::max(most, tensor_of(input(r, k)).bytes());
    run_services limited = schedule_.services_;
    memory_budget* const budget =
        memory_budget::make(2 * std::min(most, memory_budget::unlimited / 4) + (std::size_t{1} << 20), limited.memory);
    limited.memory = budget;
    error why = run_now(r, limited);
    budget->close();
    return why;
  }
  error bind(const plan_record& r) {
    edge_value& named = schedule_.slots_[r.first_slot].value;
    binding kept;
    error why;
    if (!bind_resource(kept, session_.services, named, schedule_.frame_.bound, [&] { return !(why = run_now(r)); })) return why;
    info_[r.first_slot].kind = named.variable ? value_kind::reference : value_kind::constant;
    schedule_.bound_.push_back(std::move(kept.counted));
    variables_.name(r.first_slot);
    return {};
  }
  // An output that passes on the reference of an input refers to the same variable, which is known already.
  void pass_references(const plan_record& r) {
    variable_state* first = nullptr;
    for (std::uint32_t k = 0; k < r.input_count && !first; ++k)
      if (const input_ref& in = input(r, k); !in.is_constant && !in.dereference)
        first = schedule_.slots_[in.index].value.variable;
    for (std::uint32_t k = 0; k < r.output_count; ++k) {
      if (!r.site->outputs[k].is_reference) continue;
      info_[r.first_slot + k].kind = value_kind::reference;
      schedule_.slots_[r.first_slot + k].value.variable = first;
    }
  }

  // Returns whether the node was folded. Then its outputs are constants of the schedule.
  bool fold(std::uint32_t i) {
    const plan_record& r = plan_.records[i];
    if ((!r.kernel && !r.table->alias) || (r.pending == 0 && r.input_count == 0)) return false;
    const bool folded = folding_.fold({*r.site, r.input_count, [&](std::uint32_t k) { return known(input(r, k)); },
                                       [&](sequence<shape>& shapes) {
                                         bool is_decided = true;
                                         return call_of(r).infer(r, shapes, is_decided);
                                       },
                                       [&] { return run_limited(r); },
                                       [&](std::uint32_t k) -> any_tensor& { return tensor_of(r.first_slot + k); }});
    if (!folded) return false;
    for (std::uint32_t k = 0; k < r.output_count; ++k) info_[r.first_slot + k].kind = value_kind::constant;
    schedule_.folded_.push_back(i);
    return true;
  }
  known_input known(const input_ref& in) {
    const bool is_reference = in.dereference || (!in.is_constant && info_[in.index].kind == value_kind::reference);
    return {&std::as_const(*this).tensor_of(in), is_constant(in), in.is_constant || !info_[in.index].dynamic, is_reference};
  }

  // Returns the shape of a value that the node reads. For a variable it is the declared shape, unless a write has changed it.
  shape shape_read(const input_ref& in) const {
    if (!in.is_constant && info_[in.index].kind == value_kind::reference) {
      variable_state* const v = schedule_.slots_[in.index].value.variable;
      return v && !arena_variables::has_changed_shape(*v) ? v->shape() : shape::unknown();
    }
    if (!in.is_constant && info_[in.index].dynamic) return shape::unknown();
    return tensor_of(in).shape();
  }
  bool has_dynamic_input(const plan_record& r) const {
    for (std::uint32_t k = 0; k < r.input_count; ++k)
      if (const input_ref& in = input(r, k); !shape_read(in).is_known()) {
        const bool only_reference = !in.is_constant && !in.dereference && info_[in.index].kind == value_kind::reference;
        if (!only_reference) return true;
      }
    return false;
  }

  // Returns the call with the shapes and values that are known before the run.
  known_call call_of(const plan_record& r) const {
    known_call result(r.input_count);
    for (std::uint32_t k = 0; k < r.input_count; ++k) {
      const input_ref& in = input(r, k);
      result.shapes[k] = shape_read(in);
      if (is_constant(in)) result.values[k] = &tensor_of(in);
    }
    return result;
  }

  // Objects outside of the schedule may point to this memory, so it is kept until the end of the run.
  void keep_inputs(const plan_record& r) {
    for (std::uint32_t k = 0; k < r.input_count; ++k)
      if (const input_ref& in = input(r, k); !in.is_constant) {
        const slot_info& from = info_[in.index];
        if (from.storage != no_index) storages_[from.storage].last = forever;
        if (from.pin != no_index) variables_.keep(from.pin);
      }
  }
  // Marks the values of variables that are in slots as read by the next item.
  void use_read(const plan_record& r) {
    for (std::uint32_t k = 0; k < r.input_count; ++k)
      if (const input_ref& in = input(r, k); !in.is_constant && info_[in.index].pin != no_index)
        variables_.use(info_[in.index].pin);
  }

  error lay_dynamic(std::uint32_t i) {
    const plan_record& r = plan_.records[i];
    keep_inputs(r);
    for (std::uint32_t k = 0; k < r.output_count; ++k) {
      if (r.site->outputs[k].is_reference) continue;
      info_[r.first_slot + k] = {value_kind::counted, no_index, true};
      schedule_.released_.push_back(r.first_slot + k);
    }
    items_.push_back({stop::dynamic, i});
    schedule_.account_.dynamic_nodes += 1;
    variables_.close(r);
    return {};
  }

  // ---- outputs that share memory with inputs

  error share_inputs(const plan_record& r) {
    for (std::uint32_t k = 0; k < r.output_count; ++k)
      if (error why = share(r, k, shape_read(input(r, k)))) return why;
    return {};
  }
  // Makes output k share the elements of input k, in shape `s`.
  error share(const plan_record& r, std::uint32_t k, const shape& s) {
    const input_ref& in = input(r, k);
    const std::uint32_t slot = r.first_slot + k;
    slot_info& out = info_[slot];
    if (in.dereference) {
      const bool is_known = s.is_known() && !variables_.may_change_shape(in.index);
      const std::uint32_t pin = variables_.read_into(slot, r, k, is_known ? s : shape::unknown());
      out = {is_known ? value_kind::read : value_kind::counted, no_index, !is_known, pin};
      if (is_known) tensor_of(slot) = any_tensor::over(r.site->outputs[k].type, s, {}, nullptr);
      if (!is_known || last_use_[slot] == forever) variables_.keep(pin);
      return {};
    }
    out = in.is_constant ? slot_info{value_kind::constant} : info_[in.index];
    if (out.kind == value_kind::counted) {
      schedule_.shows_.push_back({&tensor_of(in), &tensor_of(slot), s});
      schedule_.released_.push_back(slot);
      if (s.is_known()) tensor_of(slot) = any_tensor::over(r.site->outputs[k].type, s, {}, nullptr);
      items_.push_back({stop::show, static_cast<std::uint32_t>(schedule_.shows_.size() - 1)});
      out.pin = no_index;
      return {};
    }
    tensor_of(slot) = tensor_of(in).reshaped(s);
    if (out.storage != no_index) {
      storages_[out.storage].last = std::max(storages_[out.storage].last, last_use_[slot]);
      storages_[out.storage].slots.push_back(slot);
    }
    if (out.kind == value_kind::feed) schedule_.fed_[out.feed].push_back(slot);
    if (out.kind == value_kind::read) {
      variables_.show(out.pin, slot);
      if (last_use_[slot] == forever) variables_.keep(out.pin);
    }
    return {};
  }
  bool is_placed(const input_ref& in) const {
    const auto kind = in.is_constant ? value_kind::constant : info_[in.index].kind;
    return !in.dereference && (kind == value_kind::arena || kind == value_kind::constant || kind == value_kind::feed);
  }
  // Adds a call whose outputs are its inputs: the kernel only inspects them.
  error lay_passing(std::uint32_t i) {
    const plan_record& r = plan_.records[i];
    item it{stop::kernel, i};
    variables_.read(r, it);
    if (error why = share_inputs(r)) return why;
    use_read(r);
    items_.push_back(std::move(it));
    return {};
  }

  error lay_static(std::uint32_t i, const sequence<shape>& shapes) {
    const plan_record& r = plan_.records[i];
    item it{stop::kernel, i};
    variables_.read(r, it);
    bool unsized = false, reused = false;
    for (std::uint32_t k = 0; k < r.output_count; ++k) {
      if (r.site->outputs[k].is_reference) continue;
      const std::uint32_t slot = r.first_slot + k;
      const dtype type = r.site->outputs[k].type;
      const bool is_unsized = r.site->outputs[k].is_unsized;
      if (is_unsized || !is_plain(type)) {  // the kernel provides its own memory
        unsized = true;
        info_[slot] = {value_kind::counted, no_index, false};
        tensor_of(slot) = any_tensor::over(type, shapes[k], {}, nullptr);
        if (!is_unsized) return lay_dynamic(i);
        schedule_.released_.push_back(slot);
        continue;
      }
      const std::size_t bytes = static_cast<std::size_t>(shapes[k].size()) * size_of(type);
      const bool may_reuse = r.entry->facts.in_place && !r.has_host_outputs && !reused;
      std::uint32_t storage = may_reuse ? reusable(r, i, type, bytes) : no_index;
      reused = reused || storage != no_index;
      if (storage == no_index) storage = add_storage(storages_, bytes, i, memory_of_output(r, k, session_.services));
      storages_[storage].last = std::max(storages_[storage].last, last_use_[slot]);
      storages_[storage].slots.push_back(slot);
      info_[slot] = {value_kind::arena, storage, false};
      tensor_of(slot) = any_tensor::over(type, shapes[k], {}, nullptr);
    }
    if (unsized) keep_inputs(r);
    if (const std::size_t bytes = call_of(r).scratch(r))
      it.scratch = add_storage(storages_, bytes, i, memory_of(r, session_.services));
    use_read(r);
    items_.push_back(std::move(it));
    variables_.close(r);
    return {};
  }

  std::uint32_t reusable(const plan_record& r, std::uint32_t i, dtype type, std::size_t bytes) const {
    return reused_storage(storages_, bytes, i, memory_of(r, session_.services), r.input_count, [&](std::size_t k) {
      const input_ref& in = plan_.inputs[r.first_input + k];
      const bool fits =
          !in.is_constant && !in.dereference && info_[in.index].kind == value_kind::arena && tensor_of(in).type() == type;
      return fits ? info_[in.index].storage : no_index;
    });
  }

  // ---- second pass

  // Places the storages in arenas, one per kind of memory: that of the session, and those of the devices with outputs here.
  error place_memory() {
    lay_returned_buffers();
    sequence<std::pmr::memory_resource*> kinds{session_.services.memory};
    for (const storage& s : storages_)
      if (std::find(kinds.begin(), kinds.end(), s.memory) == kinds.end()) kinds.push_back(s.memory);
    for (std::pmr::memory_resource* memory : kinds)
      if (error why = place_in(memory)) return why;
    schedule_.account_.buffers += schedule_.returned_.size();
    return {};
  }
  error place_in(std::pmr::memory_resource* memory) {
    const far_memory* const far = far_memory::from(memory);
    arena_plan layout(storages_, memory, std::max(buffer::alignment, far ? far->alignment() : 0));
    const std::size_t bytes = layout.place();
    auto arena = schedule_.allocate_arena(bytes, memory);
    if (!arena) return arena.error();
    auto* base = static_cast<std::byte*>(arena->data());
    for (storage& s : storages_) {
      if (s.is_returned || s.memory != memory) continue;
      ++schedule_.account_.buffers;
      s.at = base + s.offset;
      for (const std::uint32_t slot : s.slots) point(slot, s.at);
    }
    schedule_.arenas_.push_back(*std::move(arena));
    schedule_.account_.bytes += bytes;
    schedule_.account_.live_bytes += layout.most_alive();
    return {};
  }
  void point(std::uint32_t slot, void* data) { tensor_of(slot).point_to(data); }
  // Storages that fetches return to the caller are outside of the arenas.
  void lay_returned_buffers() {
    for (const input_ref& f : plan_.fetches) {
      if (f.is_constant || info_[f.index].kind != value_kind::arena) continue;
      storage& s = storages_[info_[f.index].storage];
      if (s.is_returned) continue;
      s.is_returned = true;
      s.returned_index = static_cast<std::uint32_t>(schedule_.returned_.size());
      schedule_.returned_.push_back({s.bytes, s.memory, {}, {}, s.slots});
    }
  }

  void write_calls() {
    std::size_t inputs = 0, outputs = 0;
    for (const item& it : items_)
      if (it.what == stop::kernel) {
        inputs += plan_.records[it.index].input_count;
        outputs += plan_.records[it.index].output_count;
      }
    schedule_.inputs_.reserve(inputs);
    schedule_.outputs_.reserve(outputs);
    schedule_.variables_.cells.resize(schedule_.variables_.pins.size());
    for (std::size_t p = 0; p < schedule_.variables_.pins.size(); ++p)
      if (!schedule_.variables_.pins[p].cell) schedule_.variables_.pins[p].cell = &schedule_.variables_.cells[p];
    schedule_.dynamic_.reserve(items_.size());
    const auto drops = variables_.drops();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      write(items_[i]);
      for (const std::uint32_t p : drops[i])
        schedule_.calls_.entries.push_back({&arena_schedule::drop_pin, &schedule_.variables_.pins[p],
                                            schedule_.calls_.call_at(schedule_.variables_.pins[p].reader)});
    }
    schedule_.account_.nodes = items_.size();
  }
  void write(const item& it) {
    if (it.what == stop::take) {
      schedule_.calls_.entries.push_back({&arena_schedule::take_pin, &schedule_.variables_.pins[it.index],
                                          schedule_.calls_.call_at(schedule_.variables_.pins[it.index].reader)});
      return;
    }
    if (it.what == stop::show) {
      schedule_.calls_.entries.push_back({&arena_schedule::show, &schedule_.shows_[it.index], schedule_.calls_.call_at(nullptr)});
      return;
    }
    const plan_record& r = plan_.records[it.index];
    kernel_call c = schedule_.calls_.call_of(r);
    if (r.ordinal != no_index) schedule_.calls_.number_next(r.ordinal);
    if (it.what == stop::dynamic) {
      schedule_.dynamic_.push_back({&schedule_, it.index});
      schedule_.calls_.entries.push_back({&arena_schedule::run_dynamic, &schedule_.dynamic_.back(), c});
      return;
    }
    c.inputs = schedule_.inputs_.data() + schedule_.inputs_.size();
    c.outputs = schedule_.outputs_.data() + schedule_.outputs_.size();
    c.input_count = r.input_count;
    c.output_count = r.output_count;
    c.list_sizes = r.list_sizes;
    std::size_t pin = 0;
    for (std::uint32_t k = 0; k < r.input_count; ++k) {
      const input_ref& in = input(r, k);
      schedule_.inputs_.push_back(in.is_constant   ? &plan_.constants[in.index]
                                  : in.dereference ? schedule_.variables_.pins[it.pins[pin++]].cell
                                                   : &schedule_.slots_[in.index].value);
    }
    for (std::uint32_t k = 0; k < r.output_count; ++k) schedule_.outputs_.push_back(&schedule_.slots_[r.first_slot + k].value);
    if (it.scratch != no_index) c.scratch = storages_[it.scratch].at;
    write_scalar(r);
    if (r.has_unsized) {
      schedule_.unsized_.push_back({&r, {}});
      arena_schedule::unsized_call& u = schedule_.unsized_.back();
      for (std::uint32_t k = 0; k < r.output_count && r.consumer_count > 0; ++k)
        u.promised.push_back(schedule_.slots_[r.first_slot + k].value.tensor.shape());
      schedule_.calls_.entries.push_back({&arena_schedule::run_unsized, &u, c});
      return;
    }
    schedule_.calls_.entries.push_back({r.kernel, r.attributes, c});
  }
  // Adds the function of the next entry, if it has one and its numbers have fixed positions.
  void write_scalar(const plan_record& r) {
    if (r.on || r.input_count != 2 || r.output_count != 1) return;
    const input_ref &a = input(r, 0), &b = input(r, 1), out{r.first_slot, false, false};
    if (!is_fixed_number(a) || !is_fixed_number(b) || !is_fixed_number(out)) return;
    const scalar_function compute = total_function_for(r.table->description->meaning, r.output_type);
    if (!compute) return;
    const std::size_t at = schedule_.calls_.entries.size();
    auto& ranges = schedule_.scalar_ranges_;
    if (ranges.empty() || ranges.back().last != at) ranges.push_back({at, at});
    ranges.back().last = at + 1;
    schedule_.scalar_steps_.push_back({compute, {tensor_of(a).data(), tensor_of(b).data()}, tensor_of(r.first_slot).data()});
  }
  // Returns whether the value is one number, and is a constant or in the session's arena.
  bool is_fixed_number(const input_ref& in) const {
    if (in.dereference || tensor_of(in).size() != 1) return false;
    if (is_constant(in)) return true;
    if (info_[in.index].kind != value_kind::arena) return false;
    const storage& s = storages_[info_[in.index].storage];
    return !s.is_returned && s.memory == session_.services.memory;
  }

  void place_fetches() {
    for (std::size_t i = 0; i < plan_.fetches.size(); ++i) {
      const input_ref& f = plan_.fetches[i];
      using from = arena_schedule::fetch_source;
      if (f.is_constant) schedule_.fetches_.push_back({from::constant, f.index, {}});
      else if (f.dereference) schedule_.fetches_.push_back({from::variable, f.index, {}});
      else if (info_[f.index].kind == value_kind::arena)
        schedule_.fetches_.push_back(
            {from::returned_buffer, storages_[info_[f.index].storage].returned_index, tensor_of(f.index).shape()});
      else if (info_[f.index].kind == value_kind::feed)
        schedule_.fetches_.push_back({from::feed, info_[f.index].feed, tensor_of(f.index).shape()});
      else if (info_[f.index].kind == value_kind::read && schedule_.variables_.pins[info_[f.index].pin].variable->set())
        schedule_.fetches_.push_back({from::member, info_[f.index].pin, tensor_of(f.index).shape()});
      else if (info_[f.index].kind == value_kind::read)
        schedule_.fetches_.push_back({from::read, variables_.slot_of(info_[f.index].pin), tensor_of(f.index).shape()});
      else schedule_.fetches_.push_back({from::slot, f.index, {}});
    }
  }

  arena_schedule& schedule_;
  const plan& plan_;
  session_state& session_;
  const planned& planned_;
  sequence<slot_info> info_;
  sequence<std::uint32_t> last_use_;
  sequence<storage> storages_;
  sequence<item> items_;
  arena_variables variables_;
  constant_folding folding_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
