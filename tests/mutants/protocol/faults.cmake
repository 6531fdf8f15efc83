# Faults of what tasks say to each other, each in a source of backends/distributed; as tests/mutants/faults.cmake.

fault(values_of_ended_steps_kept worker.cpp
  "if (closed_ || has_ended(value.number)) return;"
  "if (closed_) return;")
fault(lost_values_not_told worker.cpp
  "result.push_back({s.by, sent.mapped()});"
  "")
fault(part_not_woken_to_end part_run.cpp
  "executor_->look_up(true);
  wake();"
  "executor_->look_up(true);")

# ---- what a process that does not know the token could pass on, or say

fault(wanted_name_unchecked_by_who_connects proving/handshake.cpp
  "if (!wanted_.empty() && peer_.name != wanted_)
    return {error_code::failed_precondition,
            message{\"at \", at_, \" is \", peer_.name, \", and by the list of this end \", wanted_, \" should be there\"}};"
  "")
fault(wanted_name_unchecked_by_who_accepts proving/handshake.cpp
  "if (role_ == role::accepts && !peer_wants_.empty() && peer_wants_ != options_.self.name)
    return {error_code::failed_precondition,
            message{named(), \" wants \", peer_wants_, \", and by the list of this end \", options_.self.name, \" is here\"}};"
  "")
fault(own_hello_accepted proving/handshake.cpp
  "if (peer_.incarnation == options_.self.incarnation)
    return {error_code::failed_precondition, message{\"the connection with \", at_, \" leads from this process to itself\"}};"
  "")
fault(nobody_checks_who_is_there proving/handshake.cpp
  "return check();"
  "return {};")
fault(proof_sent_before_the_check guarded_transport.cpp
  "if (why) return why;
  if (handshake_->has_other_tasks()) pass(frame_kind::hello, recycled_text(handshake_->own_tasks()), true);
  else if (role_ == role::connects) send_proof();"
  "if (role_ == role::connects) send_proof();
  if (why) return why;")
fault(hello_of_who_connects_left_out proving/handshake.cpp
  "return keyed_hash(options_.token, {purpose, {&mark, 1}, lengths[0], connects, lengths[1], accepts, lengths[2], binding_});"
  "return keyed_hash(options_.token, {purpose, {&mark, 1}, lengths[0], lengths[1], accepts, lengths[2], binding_});")
fault(hello_of_who_accepts_left_out proving/handshake.cpp
  "return keyed_hash(options_.token, {purpose, {&mark, 1}, lengths[0], connects, lengths[1], accepts, lengths[2], binding_});"
  "return keyed_hash(options_.token, {purpose, {&mark, 1}, lengths[0], connects, lengths[1], lengths[2], binding_});")
fault(nonce_used_again proving/handshake.cpp
  "return bytes;"
  "static const recycled_text first = bytes;
  return first;")
fault(place_of_a_frame_left_out proving/frame_tags.cpp
  "return h.finish_with(next_++);"
  "return h.finish_with(0);")

# ---- state that is lost between two steps

fault(next_master_knows_nothing master.cpp
  "inherit_state();"
  "")
fault(loss_not_told master.cpp
  "why = closed_ ? closed_ : check_losses_locked(losses);"
  "why = closed_;")
fault(other_process_taken_for_the_same master.cpp
  "expected = h ? h->incarnation : 0;"
  "expected = 0;")
fault(registered_parts_hold_no_state master.cpp
  "if (!why) return self->hold_state(part, by->incarnation(), by->ordinal);"
  "if (!why) return;")
fault(runs_go_on_after_a_loss master.cpp
  "if (doubts_state_locked(*s, why)) others = fail_all_locked(why);"
  "(void)doubts_state_locked(*s, why);")
fault(parts_of_another_process_accepted task.cpp
  "if (expected != 0 && expected != t.services.incarnation)
      return answer(came.number, error(error_code::unavailable, message{t.name, \" was started again\"}));"
  "")
