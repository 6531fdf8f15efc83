# Faults of what tasks say to each other, each in a source of backends/distributed; as tests/mutants/faults.cmake.

fault(values_of_ended_steps_kept worker.cpp
  "if (closed_ || has_ended(value.number)) return;"
  "if (closed_) return;")
fault(lost_values_not_told worker.cpp
  "made.push_back({s.by, sent.mapped()});"
  "")
fault(part_not_woken_to_end part_run.cpp
  "executor_->look_up(true);
  wake();"
  "executor_->look_up(true);")

# ---- state that is lost between two steps

fault(next_master_knows_nothing master.cpp
  "inherit_state();"
  "")
fault(loss_not_told master.cpp
  "why = closed_ ? closed_ : check_told_locked(told);"
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
