#pragma once
// The variables that a schedule in an arena reads. Each is pinned from its first reading to the last reading before the next write.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/schedule/arena_schedule.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// An entry of a schedule that is being built.
struct arena_item {
  enum class stop : std::uint8_t { kernel, dynamic, take, show };

  stop what;
  std::uint32_t index;  // record, pin, or index in arena_schedule::shows_
  std::uint32_t scratch = no_index;
  sequence<std::uint32_t> pins = {};  // per variable read: its pin
};

class arena_variables {
public:
  arena_variables(arena_schedule& s, const plan& p, sequence<arena_item>& items) : schedule_(s), plan_(p), items_(items) {}

  // Pins the inputs of `r` that are values of variables, for the next item.
  void read(const plan_record& r, arena_item& it) {
    for (std::uint32_t k = 0; k < r.input_count; ++k) {
      const input_ref& in = plan_.inputs[r.first_input + k];
      if (!in.dereference) continue;
      variable_state* v = schedule_.slots_[in.index].value.variable;
      auto open = std::find_if(open_.begin(), open_.end(), [&](const auto& o) { return o.first == v; });
      if (open == open_.end()) {
        open_.push_back({v, take(r, k, v->shape())});
        if (v->set()) place_member(open_.back().second);
        open = open_.end() - 1;
      }
      it.pins.push_back(open->second);
    }
    for (const std::uint32_t p : it.pins) use(p);  // at the index of the next item
  }
  // Reads input k of `r`, the value of a variable, into a slot, and shows it there in shape `s`; in its own shape if `s` is
  // unknown. Returns the pin.
  std::uint32_t read_into(std::uint32_t slot, const plan_record& r, std::uint32_t k, const shape& s) {
    const shape own = schedule_.slots_[plan_.inputs[r.first_input + k].index].value.variable->shape();
    const std::uint32_t result = take(r, k, s.is_known() ? own : shape::unknown());
    schedule_.variables_.pins[result].cell = &schedule_.slots_[slot].value;
    schedule_.variables_.pins[result].reshaped = s.is_known() && !(s == own);
    schedule_.variables_.pins[result].shown_as = s;
    slots_[result] = slot;
    if (schedule_.variables_.pins[result].variable->set()) show(result, slot);
    return result;
  }
  // Makes a slot show the same elements as the pin.
  void show(std::uint32_t pin, std::uint32_t slot) {
    arena_schedule::pin& p = schedule_.variables_.pins[pin];
    any_tensor* t = &schedule_.slots_[slot].value.tensor;
    if (p.variable->set()) view(*p.variable).shown.push_back({t, p.variable->place_in_set()});
    else p.shown.push_back(t);
  }
  // Notes the set of variables that a slot's variable belongs to. Each such set is taken at the start of a run.
  void name(std::uint32_t slot) {
    if (const variable_state* v = at(slot); v && v->set()) view(*v);
  }

  // Reads the arena and the variables once, so that their memory is mapped and cached before the first run: it should not take
  // longer than later runs. Variables that are too large for a cache, such as tables of which a step reads a few rows, are skipped.
  void warm() const {
    std::size_t room = std::size_t{32} << 20;
    read_through(schedule_.arenas_.front());
    for (const plan_record& r : plan_.records)  // each variable once: not at records that pass on its reference
      if (r.binding != no_index)
        if (variable_state* v = at(r.first_slot)) {
          const any_tensor value = v->read();
          if (value.is_far() || value.bytes() > room) continue;
          room -= value.bytes();
          read_through(value);
        }
  }

  // Marks the pin as read by the next item.
  void use(std::uint32_t pin) {
    if (last_read_[pin] != forever) last_read_[pin] = items_.size();
  }
  // Keeps the pin until the end of the run, since objects outside of the schedule may point to its memory.
  void keep(std::uint32_t pin) {
    if (std::exchange(last_read_[pin], forever) != forever) schedule_.released_.push_back(slots_[pin]);
  }
  // Returns the slot that the variable was read into.
  std::uint32_t slot_of(std::uint32_t pin) const { return slots_[pin]; }

  // Variables that `r` writes must be read again by later items.
  void close(const plan_record& r) {
    for (std::uint32_t k = 0; k < r.input_count; ++k) {
      const input_ref& in = plan_.inputs[r.first_input + k];
      if (!input_argument(r, k).writes || in.is_constant) continue;
      variable_state* v = at(in.index);
      erase_if(open_, [&](const auto& o) { return o.first == v; });
      written_.push_back(v);
      if (v) make_own(*v);
    }
  }
  // Returns whether the shape of a variable is known only in the run: a write may have changed the declared shape.
  bool may_change_shape(std::uint32_t index) const {
    variable_state* v = at(index);
    return !v || std::find(written_.begin(), written_.end(), v) != written_.end() || has_changed_shape(*v);
  }
  // Returns whether a write has changed the declared shape of the variable already.
  static bool has_changed_shape(variable_state& v) {
    const any_tensor now = v.read();
    return now.has_value() && !(now.shape() == v.shape());
  }
  // Returns the variable that a slot's reference or handle refers to; null if it is not known before the run.
  variable_state* at(std::uint32_t index) const {
    const edge_value& e = schedule_.slots_[index].value;
    const bool handle = !e.variable && e.tensor.type() == dtype::resource && e.tensor.size() == 1 && e.tensor.data();
    return handle ? e.tensor.as<resource>().scalar().as<variable_state>() : e.variable;
  }

  // Returns for each item the pins that no later item reads.
  sequence<sequence<std::uint32_t>> drops() const {
    sequence<sequence<std::uint32_t>> result(items_.size());
    for (std::size_t p = 0; p < last_read_.size(); ++p)
      if (last_read_[p] != forever) result[last_read_[p]].push_back(static_cast<std::uint32_t>(p));
    return result;
  }

private:
  static constexpr std::size_t forever = static_cast<std::size_t>(-1);

  std::uint32_t take(const plan_record& r, std::uint32_t k, const shape& planned) {
    const auto result = static_cast<std::uint32_t>(schedule_.variables_.pins.size());
    variable_state* v = schedule_.slots_[plan_.inputs[r.first_input + k].index].value.variable;
    schedule_.variables_.pins.push_back({v, nullptr, planned, name_of_input(*r.site, k), r.site, {}, false, {}});
    last_read_.push_back(v->set() ? forever : items_.size());
    slots_.push_back(no_index);
    if (!v->set()) items_.push_back({arena_item::stop::take, result});  // a set is taken as a whole, before the items
    return result;
  }
  void place_member(std::uint32_t pin) {
    arena_schedule::pin& p = schedule_.variables_.pins[pin];
    p.cell = &schedule_.variables_.members.emplace_back(any_tensor::over(p.variable->type(), p.planned, {}, nullptr));
    view(*p.variable).shown.push_back({&p.cell->tensor, p.variable->place_in_set()});
  }
  arena_schedule::set_view& view(const variable_state& v) {
    variable_set_state* const set = v.set();
    const auto known = std::find_if(schedule_.variables_.sets.begin(), schedule_.variables_.sets.end(),
                                    [&](const auto& s) { return s.set == set; });
    if (known != schedule_.variables_.sets.end()) return *known;
    return schedule_.variables_.sets.emplace_back(arena_schedule::set_view{resource(set), set, {}});
  }
  static void read_through(const any_tensor& t) {
    constexpr std::size_t cache_line = 64;
    const auto* bytes = static_cast<const volatile char*>(t.data());
    for (std::size_t i = 0; i < t.bytes(); i += cache_line) static_cast<void>(bytes[i]);
  }
  // A variable that shares its elements, for example with its initial value, copies them at its first change. This is done now
  // instead of in the first run. If there is no memory for the copy, the run tries again and reports the error.
  static void make_own(variable_state& v) {
    v.lock();
    if (v.value().has_value()) static_cast<void>(v.own(true));
    v.unlock();
  }

  arena_schedule& schedule_;
  const plan& plan_;
  sequence<arena_item>& items_;
  sequence<std::pair<variable_state*, std::uint32_t>> open_;  // variables that are being read, and their pins
  sequence<const variable_state*> written_;                   // variables that earlier items write
  sequence<std::size_t> last_read_;                           // per pin: the last item that reads it
  sequence<std::uint32_t> slots_;                             // per pin: the slot that it was read into
};

}  // namespace flowgraph::detail
