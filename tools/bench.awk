# The table of tools/bench from lines of JSON: our variants against each peer, by the fastest sample of each.

function text(key,    rest) {
  rest = $0
  if (!sub(".*\"" key "\": \"", "", rest)) return ""
  sub("\".*", "", rest)
  return rest
}
function number(key,    rest) {
  rest = $0
  if (!sub(".*\"" key "\": ", "", rest)) return 0
  return rest + 0
}
function short(v) { return v >= 100 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) : sprintf("%.3f", v) }
function family(peer) { sub("/.*", "", peer); sub("\\+.*", "", peer); return peer }

BEGIN {
  # What we want to be: how often faster, in which variant, against the best of which peers.
  goal["executor_chain", "prepared", "tensorflow-c"] = 28
  goal["executor_fan", "prepared", "tensorflow-c"] = 25
  goal["executor_dag", "prepared", "tensorflow-c"] = 75
  goal["executor_chain", "dynamic", "tensorflow-c"] = 6
  goal["executor_fan", "dynamic", "tensorflow-c"] = 6
  goal["executor_dag", "dynamic", "tensorflow-c"] = 6
  goal["mlp_small", "prepared", "tensorflow"] = 10
  goal["mlp_small", "prepared", "ort"] = 2
  goal["queue", "prepared", "tensorflow"] = 20
  goal["queue_loop", "prepared", "tensorflow"] = 20
  goal["queue_batch_whole", "prepared", "memcpy"] = 0.5
  goal["queue_batch_halves", "prepared", "memcpy"] = 0.5
  goal["queue_batch_rows", "prepared", "memcpy"] = 0.5
  goal["queue_batch_shuffled", "prepared", "memcpy"] = 0.5
  goal["checkpoint_save", "prepared", "write"] = 0.8
  goal["checkpoint_unsynced", "prepared", "tensorflow"] = 1
  goal["checkpoint_restore", "prepared", "read"] = 0.8
  goal["table_k8", "prepared", "array"] = 0.5
  goal["table_k16", "prepared", "array"] = 0.5
  goal["table_k64", "prepared", "array"] = 0.5
  goal["input", "prepared", "tensorflow"] = 1.5
  # A prepared step against the fastest of all peers.
  best_goal["word2vec"] = 2
  best_goal["while_loop"] = 1.15
  best_goal["mlp_train_sgd"] = best_goal["mlp_train_adam"] = 1.1
  best_goal["lstm_train"] = 1.05
  best_goal["cnn_train"] = best_goal["cnn_infer_1"] = best_goal["cnn_infer_64"] = 0.9
  best_goal["resnet50_infer"] = best_goal["mobilenetv2_infer"] = 0.9
  best_goal["layer_norm"] = best_goal["gelu_block"] = best_goal["attention_block"] = 1
  keras_goal = 0.9
  kernel_goal = 0.75  # of products and convolutions
  op_goal = 0.95      # of single ops
  spectral_goal = 0.5  # of singular values and eigenvalues
  family_goal = 0.8    # of ops of these families
  families = "^op_(lu|solve|triangular|inverse|determinant|cholesky|qr|decode|resize|adjust|fft|rfft|sparse)"
  run_goal = 0.97  # of a prepared step beside `run`: an imported model is never slower by it
  folds["executor_chain", "tensorflow-c/graph"] = 1  # its optimizers leave one node of the chain
}

{
  work = text("work"); peer = text("peer")
  if (!(work in unit)) works[++work_count] = work
  unit[work] = text("unit")
  key = work SUBSEP peer
  if (!(key in best)) peers[work, ++peer_count[work]] = peer
  v = number("min")
  if (!(key in best) || v < best[key]) best[key] = v
  check[key] = number("check")
}

# The goal that a work has against the fastest of all peers.
function goal_against_best(work) {
  if (work in best_goal) return best_goal[work]
  return work ~ /^keras_/ ? keras_goal : work ~ /^(product|conv|depthwise)_/ ? kernel_goal : 0
}
function goal_of(work, ours, f, is_fastest) {
  if (work ~ families) return family_goal
  if (work ~ /^op_(svd|eigh)_/) return spectral_goal
  if (work ~ /^op_/) return op_goal
  if (ours == "prepared" && is_fastest && goal_against_best(work) > 0) return goal_against_best(work)
  return goal[work, ours, f]
}

function row(work, ours, peer, wanted,    key, other, ratio, verdict, apart) {
  key = work SUBSEP "flowgraph/" ours; other = work SUBSEP peer
  ratio = best[other] / best[key]
  apart = check[key] - check[other]
  verdict = ""
  if (apart * apart > 4e-8 * check[other] * check[other]) verdict = "OTHER RESULT " check[key] " " check[other]
  if (wanted) {
    verdict = (ratio >= wanted && verdict == "") ? "ahead" : "BELOW"
    ++verdicts[verdict]
  }
  printf "%-15s | %-12s | %-8s %8s | %-22s %8s | %7.2f x | %s | %s\n", work, unit[work], ours, short(best[key]), peer, short(best[other]),
         ratio, wanted ? "goal " wanted : "", verdict
}

END {
  split("prepared run dynamic unlocked", variants, " ")
  for (w = 1; w <= work_count; ++w) {
    work = works[w]
    for (v = 1; v <= 4; ++v) {
      ours = variants[v]
      if (!((work, "flowgraph/" ours) in best)) continue
      split("", rival)
      fastest = ""
      for (p = 1; p <= peer_count[work]; ++p) {
        peer = peers[work, p]
        f = family(peer)
        if (f == "flowgraph" || (work, peer) in folds) continue
        if (!(f in rival) || best[work, peer] < best[work, rival[f]]) rival[f] = peer
        if (fastest == "" || best[work, peer] < best[work, fastest]) fastest = peer
      }
      shown = 0
      for (p = 1; p <= peer_count[work]; ++p) {
        peer = peers[work, p]
        f = family(peer)
        if (f == "flowgraph") continue
        wanted = goal_of(work, ours, f, peer == fastest)
        row(work, ours, peer, rival[f] == peer ? wanted : 0)
        ++shown
      }
      if (ours == "prepared" && (work, "flowgraph/run") in best) row(work, ours, "flowgraph/run", run_goal)
      if (!shown) printf "%-15s | %-12s | %-8s %8s |\n", work, unit[work], ours, short(best[work, "flowgraph/" ours])
    }
  }
  if (verdicts["ahead"] + verdicts["BELOW"] == 0) {
    print "no goal could be looked at: the peers are missing (see FLOWGRAPH_PEERS and FLOWGRAPH_PEERS_PYTHON in tools/bench)"
    exit
  }
  printf "%d ahead, %d BELOW\n", verdicts["ahead"], verdicts["BELOW"]
  exit verdicts["BELOW"] > 0
}
