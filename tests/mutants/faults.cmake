# The faults that are planted: name, header, the statement as it stands and the faulty one. Read twice: to make the tests, where
# `fault` registers one, and to make the headers, where it replaces the statement. What is not found in its header exactly once is
# an error, so that no fault is lost when the code around it changes.

# ---- how many records, iterations and frames there are to wait for

fault(frame_without_its_enters runtime/queue/impl/flow_runner.hpp
  "--child.enters_left;"
  "child.enters_left = 0;")
fault(child_frame_not_counted runtime/queue/impl/flow_runner.hpp
  "++at.outstanding;
    if (!is_whole) open_iteration(*f);"
  "if (!is_whole) open_iteration(*f);")
fault(iteration_closed_with_one_outstanding runtime/queue/impl/flow_runner.hpp
  "if (oldest->outstanding > 0 || f.enters_left > 0) return false;"
  "if (oldest->outstanding > 1 || f.enters_left > 0) return false;")
fault(value_delivered_an_iteration_late runtime/queue/impl/flow_runner.hpp
  "deliver(r, *f.live[f.live.size() - static_cast<std::size_t>(f.opened - (at.index + 1))], value);"
  "deliver(r, *f.live.back(), value);")
fault(held_back_values_forgotten runtime/queue/impl/flow_runner.hpp
  "for (const carried& c : held) deliver(plan_.records[c.record], fresh, &c.value);"
  "deliver(plan_.records[held.front().record], fresh, &held.front().value);")
fault(invariant_in_first_iteration_only runtime/queue/impl/flow_runner.hpp
  "for (std::size_t i = 0; i < child.live.size(); ++i) deliver(r, *child.live[i], value);"
  "deliver(r, *child.live.front(), value);")
# ---- what is dead

fault(merge_takes_a_dead_input runtime/queue/impl/flow_runner.hpp
  "if (!dead) {
    p.chosen = c.input;
    return true;
  }"
  "p.chosen = c.input;
  return true;")
fault(deadness_not_handed_on runtime/queue/impl/propagation.hpp
  "++p.dead;"
  "")
fault(dead_exit_told_by_first_instance_only runtime/queue/impl/frame.hpp
  "f->lived.assign(plan_.frames[frame].records.size(), false);"
  "f->lived.resize(plan_.frames[frame].records.size());")
fault(dead_exit_not_told runtime/queue/impl/flow_runner.hpp
  "if (r.control == control_flow::exit && !f.lived[r.local]) deliver(r, *parent, nullptr);"
  "")
fault(exit_tells_of_every_dead_value runtime/queue/impl/flow_runner.hpp
  "if (!value) return;  // consumers receive a dead value once, when the frame ends without a live one"
  "")

# ---- loops by schedules

fault(first_side_taken_always runtime/schedule/impl/owned_schedule.hpp
  "while (!self.holds(c.step->sides[k])) ++k;"
  "")
fault(every_read_is_the_last runtime/planning/impl/body_memory.hpp
  "in.is_last = !in.dereference && !later[in.place];"
  "in.is_last = !in.dereference;")
fault(shared_memory_written runtime/schedule/impl/owned_schedule.hpp
  "if (!(*out)->tensor.is_unique() || !((*out)->tensor.shape() == *expected++)) return false;"
  "if (!(*out)->tensor.has_value() || !((*out)->tensor.shape() == *expected++)) return false;")

# ---- values of loops in an arena

fault(memory_taken_from_under_another_shape runtime/schedule/detail/body_arena.hpp
  "use(in, result_.calls[s].kind == call_kind::shown ? std::max(s, use_[body_.steps[s].output]) : s);"
  "use(in, s);")
fault(scalar_read_after_its_successor_is_written runtime/schedule/detail/scalar_loop.hpp
  "if (is_computed && in.place == h.place) return false;"
  "")
fault(scalars_exchanged_without_first_copies runtime/schedule/impl/scalar_loop.hpp
  "from = passing_.spares[k];"
  "")
fault(saved_value_in_the_arena runtime/schedule/detail/body_layout_builder.hpp
  "if (holds(s)) hold(in);"
  "")
fault(memory_of_a_loop_passed_on runtime/schedule/detail/body_layout_builder.hpp
  "if (s.kind == form::alias || s.kind == form::select || enters_variable(s, k)) hold_if_given(s.inputs[k]);"
  "if (s.kind == form::alias || s.kind == form::select) hold_if_given(s.inputs[k]);")
fault(shape_of_a_value_trusted runtime/schedule/impl/values_in_arena.hpp
  "if (t.shape() == wanted) [[likely]]
    return true;"
  "return true;")
fault(scratch_of_the_arena_replaced runtime/schedule/impl/owned_schedule.hpp
  "if (other.record->entry->scratch && other.record->on == c.record->on && !other.is_direct)
      calls_.entries[other.entry].call.scratch = call.scratch;"
  "if (other.record->entry->scratch && other.record->on == c.record->on)
      calls_.entries[other.entry].call.scratch = call.scratch;")
fault(last_value_passed_on_too_early runtime/schedule/impl/values_in_arena.hpp
  "variable.tensor.point_to(std::exchange(passing_.spares[k], before));"
  "std::swap(variable.tensor, places_[h.from.place].tensor);")

# ---- numbers in the arena of a step

fault(numbers_of_a_step_exchanged runtime/schedule/impl/arena_schedule_builder.hpp
  "schedule_.scalar_steps_.push_back({compute, {tensor_of(a).data(), tensor_of(b).data()}, tensor_of(r.first_slot).data()});"
  "schedule_.scalar_steps_.push_back({compute, {tensor_of(b).data(), tensor_of(a).data()}, tensor_of(r.first_slot).data()});")

# ---- what gradients save

fault(saved_value_of_another_place ops/control_flow/impl/loop_gradient.hpp
  "return value_of_history(state_, from, kept_.size() - 1, {e.from, e.port});"
  "return value_of_history(state_, from, kept_.size() < 2 ? 0 : kept_.size() - 2, {e.from, e.port});")
fault(entry_of_the_iteration_before ops/control_flow/detail/history.hpp
  "if (value.type() == type) return value;"
  "const auto* earlier = entry->before.as<history_entry>();
    return earlier ? earlier->values()[static_cast<std::size_t>(index)] : value;")
fault(two_entries_popped ops/control_flow/detail/history.hpp
  "if (const detail::history_entry* entry = detail::last_entry(ctx, history)) detail::share_history(shorter, entry->before);"
  "if (const auto* entry = detail::last_entry(ctx, history)) {
    const auto* earlier = entry->before.as<detail::history_entry>();
    detail::share_history(shorter, earlier ? earlier->before : entry->before);
  }")
fault(stand_in_saved_for_the_value ops/control_flow/impl/loop_gradient.hpp
  "for (auto g = guards.rbegin(); g != guards.rend(); ++g) kept = alive(kept, *g);"
  "for (switch_side g : guards) {
      g.side = !g.side;
      kept = alive(kept, g);
    }")
fault(sum_of_a_constant_begun_anew ops/control_flow/impl/loop_gradient.hpp
  "if (is_sum) list.insert(list.begin(), gradients_[i].inside);"
  "")

# ---- what crosses between devices

fault(reads_of_a_variable_cross_once runtime/planning/impl/transfers.hpp
  "n.inputs[k] = {is_variable ? &transfer_of_read(n, k, *to) : &shared_transfer(from, *to), 0};"
  "n.inputs[k] = {&shared_transfer(from, *to), 0};")
fault(read_shared_across_a_write runtime/planning/impl/transfers.hpp
  "if (const draft_node* v = variable_behind(e)) ++writes_[v];"
  "if (const draft_node* v = variable_behind(e)) writes_[v];")
fault(read_shared_with_what_may_wait runtime/planning/impl/transfers.hpp
  "if (is_delayed) delayed_.insert(&n);"
  "")
fault(read_shared_between_pieces runtime/planning/impl/plan.hpp
  "if (error why = crossing.add(!request.is_partial_run)) return why;"
  "if (error why = crossing.add(true)) return why;")
fault(taker_of_a_reference_placed_alone runtime/impl/grouping.hpp
  "if (maker.id < first_) return anchor(maker, n, true);"
  "return maker.id < first_ ? anchor(maker, n, true) : void();")
fault(transfer_of_another_output runtime/planning/impl/transfers.hpp
  "if (a.port == from.port && a.at == at) return *a.transfer;"
  "if (a.at == at) return *a.transfer;")

# ---- what crosses a cut

fault(dead_send_dropped runtime/parts/impl/driver.hpp
  "if (!waits.by) return;"
  "if (!waits.by || given.dead) return;")
fault(iteration_named_by_the_plan runtime/parts/rendezvous.hpp
  "return i.frame ? iteration_name{i.frame->key, i.index} : iteration_name{};"
  "return i.frame ? iteration_name{i.frame->frame, i.index} : iteration_name{};")
fault(sender_in_a_loop_not_led runtime/parts/impl/partitioner.hpp
  "if (all.size() > 1 && !led[frame].contains(place)) follow(frame, place);"
  "static_cast<void>(place);")
# ---- what passes must leave as it is: found by the tests of the passes

fault(identity_of_a_reference_pruned passes/impl/prune_identities.hpp
  "if (read.is_reference || n.outputs[0].is_reference || read.type != n.outputs[0].type) return false;"
  "")
fault(identity_at_a_control_edge_pruned passes/impl/prune_identities.hpp
  "if (!only_passes(n) || !is_place_free(d, n) || !n.controls.empty()) return false;"
  "if (!only_passes(n) || !is_place_free(d, n)) return false;")
fault(identity_that_others_wait_for_pruned passes/impl/prune_identities.hpp
  "if (n.is_requested || n.is_waited_for || (n.is_weighed && !n.controls.empty())) return false;"
  "if (n.is_requested || (n.is_weighed && !n.controls.empty())) return false;")
fault(identity_of_values_beside_pruned passes/impl/prune_identities.hpp
  "if (from.kind == draft_node::form::op && !comes_before(from, *n.inputs[0].from, most_steps)) return false;"
  "")
fault(second_value_forgotten passes/impl/prune_identities.hpp
  "return std::ranges::find(read_, &n) != read_.end();"
  "return false;")
fault(failed_node_folded passes/fold_constants.hpp
  "is_kept = !why && bytes <= limit;"
  "is_kept = bytes <= limit;")
fault(weighed_node_folded passes/fold_constants.hpp
  "if (n.inputs.empty() || !n.controls.empty() || n.is_weighed || n.table->control != control_flow::none) return false;"
  "if (n.inputs.empty() || n.table->control != control_flow::none) return false;")
fault(attributes_not_compared passes/impl/merge_common.hpp
  "if (n.kind == form::constant || n.table->attributes().empty()) return first;"
  "return first;")
fault(random_nodes_merged passes/impl/merge_common.hpp
  "if (op.stateful || op.counts_runs || op.per_run || op.kernel.start || op.description->placeholder) return false;"
  "if (op.description->placeholder) return false;")
fault(colocated_nodes_merged passes/impl/merge_common.hpp
  "if (draft_.is_spread && n.is_colocated) return false;"
  "")

# ---- what further passes must leave as it is

fault(shape_on_a_branch_folded passes/impl/known_shapes.hpp
  "if (facts_.is_alive(n) && n.controls.empty()) draft_.make_constant(n, std::move(values));
    else become_waiting(n, std::move(values[0]));"
  "draft_.make_constant(n, std::move(values));")
fault(shape_of_a_variable_trusted passes/detail/rewriting.hpp
  "if (read.is_reference || (read.is_unsized && !is_value) || is_counted(read.type) || !is_sized_[e.from->place]) return false;"
  "if (is_counted(read.type)) return false;")
fault(dead_fetch_taken_away passes/impl/dead_switches.hpp
  "return is_dead_[n.place] ? !n.is_requested : instead_[n.place].from != nullptr;"
  "return is_dead_[n.place] || instead_[n.place].from != nullptr;")
fault(other_side_of_a_switch_lives passes/impl/dead_switches.hpp
  "return asked->as<bool>()[0] ? 0 : 1;"
  "return asked->as<bool>()[0] ? 1 : 0;")
fault(constant_that_broadcasts_dropped passes/detail/rewriting.hpp
  "if (known.rank < c.shape().rank) return false;"
  "")
fault(narrowing_cast_undone passes/impl/arithmetic.hpp
  "return first.from->outputs[first.port].type == to && is_widening(to, from) ? first : draft_edge();"
  "return first.from->outputs[first.port].type == to ? first : draft_edge();")
fault(sum_over_nothing_keeps_its_zero passes/impl/arithmetic.hpp
  "return axes && axes->size() == 0 && is_exact;"
  "return axes && axes->size() == 0;")
fault(factor_of_a_value_that_others_read passes/detail/moved_constants.hpp
  "if (from.kind != draft_node::form::op || uses_[from.place] != 1 || from.outputs.size() != 1 || from.inputs.size() != 2 ||
        is_reference(x) || !is_pure(*from.table) || from.outputs[0].type != n.outputs[0].type)
      return false;"
  "if (from.kind != draft_node::form::op || from.outputs.size() != 1 || from.inputs.size() != 2 ||
        is_reference(x) || !is_pure(*from.table) || from.outputs[0].type != n.outputs[0].type)
      return false;")
fault(factor_per_row_taken_for_one_per_column passes/detail/moved_constants.hpp
  "if (!wanted.is_known() || wanted.size() != found.size() || found[-1] != found.size()) return false;"
  "if (!wanted.is_known() || wanted.size() != found.size()) return false;")
fault(order_lost_with_an_identity passes/impl/dependencies.hpp
  "add_controls(*r, nullptr, earlier);"
  "")
fault(effect_not_run passes/impl/dependencies.hpp
  "if (!is_plain_op(n) || !is_pure(*n.table) || n.is_requested) return false;"
  "if (!is_plain_op(n) || n.is_requested) return false;")
fault(control_edge_from_a_side_of_a_switch passes/impl/dependencies.hpp
  "if (e.from->kind == form::op && e.from->table->control == control_flow::switch_) return false;"
  "")

# ---- what passes that go by cost must leave as it is

fault(random_numbers_drawn_again placement/impl/save_memory.hpp
  "if (!lives.is_alive(n) || !is_pure(*n.table) || n.table->description->constant || leaves_part) return false;"
  "if (!lives.is_alive(n)) return false;")
fault(variable_read_again_after_a_write placement/impl/save_memory.hpp
  "return w.is_ordered && (w.at < reader.place || w.at >= until);"
  "return w.is_ordered;")
fault(held_back_beyond_the_limit_of_the_sender placement/impl/delay_transfers.hpp
  "if (*top + sent.bytes + kept > limit) return false;"
  "")
fault(channel_not_given_its_time placement/impl/delay_transfers.hpp
  "if (!may_wait || ends_[k] > latest) continue;"
  "if (!may_wait || ends_[k] > begins_[reader]) continue;")

fault(branch_before_the_peak_led_anew placement/impl/save_memory.hpp
  "if (e.from->place < until) return false;"
  "")

# ---- memory that the host does not touch: found by the tests of an accelerator beside the CPU

fault(fetched_variable_left_far runtime/call_steps.hpp
  "if (value.has_value()) return bring_to_host(value, run, failure);"
  "if (value.has_value()) return true;")
fault(host_input_left_far runtime/planning/impl/transfers.hpp
  "if (is_there && is_of_part) return {};"
  "if ((is_there || is_read_on_host) && is_of_part) return {};")
fault(constant_left_on_host runtime/planning/impl/planned_devices.hpp
  "return bring_constants(p, drafted);"
  "return {};")
fault(run_ends_before_its_device runtime/schedule/impl/root_schedule.hpp
  "why = devices_.finish(std::move(why));"
  "")
fault(host_input_of_a_part_left_far runtime/planning/impl/transfers.hpp
  "return landing{n.device_place, is_unread ? arrival::unread : is_read_on_host ? arrival::on_host : arrival::on_device};"
  "return landing{n.device_place};")
fault(part_ends_before_its_device runtime/parts/impl/driver.hpp
  "for (const auto& e : executors_) why = e->finish_devices(std::move(why));"
  "")
fault(one_memory_for_all_of_a_part runtime/planning/impl/transfers.hpp
  "if (!is_cut_) return landing{place};"
  "return landing{place};")
fault(variable_warmed_far_away runtime/schedule/impl/arena_variables.hpp
  "if (value.is_far() || value.bytes() > room) continue;"
  "if (value.bytes() > room) continue;")
fault(device_argument_taken_for_the_hosts runtime/planning/transfers.hpp
  "return !is_plain(from.from->outputs[from.port].type) || n.table->control == control_flow::loop_cond ||
         (n.table->control == control_flow::switch_ && k == 1) || input_argument(n, k).is_on_host;"
  "return !is_plain(from.from->outputs[from.port].type) || n.table->control == control_flow::loop_cond ||
         (n.table->control == control_flow::switch_ && k == 1) ||
         (!crosses(n) && (k == 0 || input_argument(n, k).is_on_host));")
fault(arena_of_the_wrong_device runtime/schedule/impl/arena_schedule_builder.hpp
  "if (storage == no_index) storage = add_storage(storages_, bytes, i, memory_of_output(r, k, session_.services));"
  "std::pmr::memory_resource* taken = memory_of_output(r, k, session_.services);
        for (std::size_t d = 0; d < session_.devices.size() && r.on; ++d)
          if (const device* other = session_.devices.at(d); other && other != r.on) taken = other->memory();
        if (storage == no_index) storage = add_storage(storages_, bytes, i, taken);")
fault(input_forwarded_across_devices runtime/planning/impl/planned_devices.hpp
  "in.is_foreign = !in.is_constant && plan_.slot_memory[r.frame][in.index] != own;"
  "in.is_foreign = false;")

# ---- what readers of views see

fault(reader_behind_a_write_keeps_the_old_read passes/impl/views.hpp
  "n.inputs[k] = from;"
  "")
fault(own_read_does_not_wait_for_the_write passes/impl/views.hpp
  "wait_for_view(waits, seen);"
  "waits.resize(0);
    wait_for_view(waits, seen);")
fault(own_read_lives_on_a_dead_side passes/impl/views.hpp
  "add_once(waits, *side);"
  "")
fault(writes_of_earlier_iterations_unseen passes/impl/views.hpp
  "if (seen[r->place] == round || (!by_loop && is_back_edge(*at, *r))) continue;"
  "if (seen[r->place] == round || is_back_edge(*at, *r)) continue;")
fault(fetch_of_view_too_early passes/impl/views.hpp
  "e = {last, 0};"
  "last->is_requested = true;")

# ---- who waits at a queue: found by the tests of queues between threads

fault(waiters_forgotten_on_closing ops/data_flow/detail/awaited.hpp
  "f(settled);
      advance_all(settled);"
  "f(settled);")
fault(elements_kept_back_after_closing ops/data_flow/detail/queue_state.hpp
  "return closed_ ? 0 : static_cast<std::size_t>(description_.min_after_dequeue);"
  "return static_cast<std::size_t>(description_.min_after_dequeue);")

# ---- what a trace says

fault(record_waits_again_unseen runtime/tracing/impl/run_recording.hpp
  "known_[record / 64] &= ~(std::uint64_t{1} << record % 64);"
  "")
fault(full_chunk_forgotten runtime/tracing/impl/trace_log.hpp
  "if (last_) last_->next.store(result, std::memory_order_release);
  else first_.store(result, std::memory_order_release);"
  "first_.store(result, std::memory_order_release);")

# ---- products of loops

fault(sum_of_products_without_its_first_value train/detail/listed_products.hpp
  "std::copy(begin + from, begin + to, sum.data() + from);"
  "std::fill_n(sum.data() + from, to - from, T());")
fault(variable_packed_before_it_is_written train/detail/loop_nodes.hpp
  "if (is_control(n, control_flow::enter) || is_control(n, control_flow::exit) || depth[n.place] >= 0) return false;"
  "if (is_control(n, control_flow::enter) || is_control(n, control_flow::exit)) return false;")

fault(bundle_around_a_node_of_no_bundle train/detail/bundling.hpp
  "if (is_member_[n->place] && after_other) return false;"
  "if (is_member_[n->place] && after_other && nodes_.empty()) return false;")
fault(part_of_a_split_at_the_first_column train/detail/bundling.hpp
  "return {form_of_place::input, input(wide_, shape_of(wide_), *split_), column};"
  "return {form_of_place::input, input(wide_, shape_of(wide_), *split_), column / 2};")

# ---- groups of element-wise nodes

fault(value_of_a_group_that_others_read passes/impl/group_elementwise.hpp
  "return group_of_[n.place] != group && inside == uses_[n.place];"
  "return group_of_[n.place] != group && inside > 0 && uses_[n.place] > 0;")
fault(tile_begins_at_the_first_element passes/detail/group_body.hpp
  "for (std::int64_t at = first; at < end && !v.failure; at += tile_) run_tile(at, std::min(tile_, end - at), v, slots);"
  "for (std::int64_t at = first; at < end && !v.failure; at += tile_) run_tile(first, std::min(tile_, end - at), v, slots);")
fault(broadcast_value_taken_for_a_tile passes/detail/group_body.hpp
  "if (form_of(v) == tiled_form::none) return false;"
  "")
fault(column_taken_for_a_row passes/detail/group_body.hpp
  "if (s.size() == row_size() && s[-1] == row_size()) return tiled_form::row;"
  "if (s.size() == row_size()) return tiled_form::row;")
fault(numbers_of_rows_read_from_the_first_row passes/detail/group_body.hpp
  "first /= row_;"
  "first = 0;")
fault(other_axis_reduced_in_a_tile passes/detail/grouped_nodes.hpp
  "return named == -1 || named == rank - 1;"
  "return true;")
fault(last_axis_reduced_in_a_whole_value passes/detail/group_body.hpp
  "if (const row_reducer* const r = memory_ ? group_.reducer(i) : nullptr) operands[1] = &r->last;"
  "if (const row_reducer* const r = group_.reducer(i)) operands[1] = &r->last;")
fault(node_that_may_fail_in_a_group passes/impl/group_elementwise.hpp
  "if (t.may_fail) return false;"
  "")
fault(tile_ends_within_a_row passes/detail/group_body.hpp
  "if (row_ > 0) tile_ = tile_ / row_ * row_;"
  "")
fault(input_that_is_still_read_overwritten passes/detail/group_body.hpp
  "if (group_.reads(i, k)) return false;"
  "")

fault(value_of_a_program_given_away passes/detail/grouped_nodes.hpp
  "if (std::ranges::none_of(stages, [&](const group_stage& s) { return s.end == i + 1; })) continue;"
  "")
fault(last_block_of_a_program_lost ops/shared/impl/element_program.hpp
  "if (rest > 0 && form_of(c.result) == form::array)
        std::copy_n(blocks_[c.result].data() + block_ - rest, rest, place(c.result, first) + size - rest);"
  "")
fault(number_of_a_program_taken_for_the_block ops/shared/impl/element_program.hpp
  "return held != c.left && (held == c.right || is_number(c.left));"
  "return false;")
fault(row_of_a_program_not_repeated ops/shared/impl/element_program.hpp
  "std::copy_n(to, n, to + filled);"
  "std::fill_n(to + filled, n, *to);")
fault(value_of_a_program_not_kept passes/detail/group_stages.hpp
  "if (reads > 1 || (reads == 1 && k > i + 1)) return true;"
  "")
fault(member_of_a_program_with_fewer_elements passes/detail/group_body.hpp
  "if (result == tiled_form::row) return false;"
  "")
fault(column_in_a_program_without_reductions passes/detail/group_body.hpp
  "if (result != tiled_form::all && !s.is_by_rows) return false;"
  "")
fault(rows_of_a_program_read_from_the_first ops/shared/impl/row_program.hpp
  "return data + stride * (is_own ? r : first + r);"
  "return data + stride * (is_own ? r : r + 0 * first);")
fault(other_value_added_up_in_a_program ops/shared/impl/row_program.hpp
  "if (held_ == c.left) parts_[count_ - 1].reduces = &c;
      else begin_part(work::reduction, &c);"
  "if (count_ > 0) parts_[count_ - 1].reduces = &c;
      else begin_part(work::reduction, &c);")
fault(part_of_a_program_continued_after_its_sum ops/shared/impl/row_program.hpp
  "if (count_ == 0 || parts_[count_ - 1].does != w || parts_[count_ - 1].reduces) begin_part(w, nullptr);"
  "if (count_ == 0 || parts_[count_ - 1].does != w) begin_part(w, nullptr);")
fault(rows_kept_by_a_program_overlap ops/shared/impl/row_program.hpp
  "next += together_ * p.row;"
  "next += p.row;")
fault(traced_run_with_groups runtime/planning/impl/plan.hpp
  "if (pass.run == &group_elementwise && request.shows_nodes) return void(lacks_groups = true);"
  "")

fault(result_that_others_read_finished passes/impl/finish_results.hpp
  "if (r.count != 1 || !r.is_of_first_output) return nullptr;"
  "if (!r.is_of_first_output) return nullptr;")
fault(sum_finished_behind_its_bound passes/impl/finish_results.hpp
  "if (step.place == at_end || step.place < next_) return false;"
  "if (step.place == at_end) return false;")
fault(sum_that_may_repeat_finished passes/impl/finish_results.hpp
  "return result.is_known() && facts_.shape_of(n.inputs[1 - own]) == result ? found_step{step, at_other, at_bound}
                                                                             : found_step{};"
  "return facts_.shape_of(n.inputs[1 - own]) == result ? found_step{step, at_other, at_bound} : found_step{};")
fault(declared_shape_of_a_result_taken_for_certain passes/impl/finish_results.hpp
  "return facts_.shape_of({members_[0], 0});"
  "return members_[0]->outputs[0].shape;")

fault(other_weights_taken_for_the_packed_ones ops/shared/impl/packed_matrix.hpp
  "return weights == t.data() && of == matrix;"
  "return of == matrix;")

# ---- kernels of devices, and where nodes run that require no device

fault(facts_of_the_own_kernel_for_another runtime/planning/impl/plan.hpp
  "r.entry = found;"
  "")
fault(priority_unheard runtime/impl/placement.hpp
  "std::ranges::stable_sort(all.by_priority_, std::greater<>(), [&](std::uint32_t d) { return all.priority(d); });"
  "")
fault(all_from_the_host_stays_there runtime/detail/host_arithmetic.hpp
  "if (!is_read_on_host(*sorted[i], readers)) found_.erase(sorted[i]);"
  "")

# ---- memory of runs and of steps

fault(lives_that_meet_share_bytes runtime/schedule/detail/arena_plan.hpp
  "if (p.last < s.first || s.last < p.first) continue;"
  "if (p.last <= s.first || s.last <= p.first) continue;")
fault(idle_blocks_out_of_order core/impl/large_blocks.hpp
  "idle_.insert(place_of(freed->bytes), freed);"
  "idle_.push_back(freed);")
fault(idle_blocks_without_bound core/impl/large_blocks.hpp
  "free_beyond(most + most / 4 - bytes);"
  "")
fault(budget_refuses_beside_idle_blocks core/memory_budget.hpp
  "if (!spare_ || spare_->free_idle() == 0) return detail::refuse_memory();"
  "return detail::refuse_memory();")
