"""Trains click models with the program flowgraph, libFM and xLearn on the same files, in turns, and prints a table.

    clicks.py --data PREFIX --flowgraph PROGRAM [--libfm PROGRAM] [--xlearn PROGRAM] [--factors 8,16,64] [--rounds 3] [--epochs 5]
              [--threads 1] [--without-locks] [--field-aware] [--auc 0.72]

PREFIX.train.libsvm and PREFIX.test.libsvm, or with --field-aware PREFIX.train.libffm and PREFIX.test.libffm, contain the clicks. Each
program uses one set of parameters for all numbers of factors. The columns are: samples per second in the fastest epoch, without loading and
evaluation; seconds of a whole process; the area under the ROC curve on the test file after the last epoch; and the seconds of training
until the area has reached --auc.
"""
import argparse
import os
import re
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser(usage=__doc__)
for name, default in (("data", None), ("flowgraph", None), ("libfm", None), ("xlearn", None), ("factors", "8,16,64")):
    parser.add_argument("--" + name, default=default)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--auc", type=float, default=0.72)
parser.add_argument("--without-locks", action="store_true")
parser.add_argument("--field-aware", action="store_true")
args = parser.parse_args()

kind = "libffm" if args.field_aware else "libsvm"
train, test = (f"{args.data}.{part}.{kind}" for part in ("train", "test"))
with open(train) as lines:
    samples = sum(1 for _ in lines)
with open(test) as lines:
    labels = [float(line.split(None, 1)[0]) > 0 for line in lines]


def area(predictions):
    """The area under the ROC curve; equal predictions count half."""
    ranked = sorted(zip(predictions, labels))
    total, negatives, at = 0.0, 0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        clicks = sum(label for _, label in ranked[at:end])
        total += clicks * (negatives + (end - at - clicks) / 2)
        negatives += end - at - clicks
        at = end
    return total / (negatives * (len(ranked) - negatives))


def run(folder, *command):
    """The output of a command, and its seconds. One thread stays on one processor."""
    pinned = ["taskset", "-c", str(max(os.sched_getaffinity(0)))] if args.threads == 1 else []
    began = time.monotonic()
    made = subprocess.run([*pinned, *map(str, command)], cwd=folder, env={**os.environ, "USER": "bench"}, text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    return re.sub(r"\x1b\[[0-9;]*m", "", made), time.monotonic() - began


def flowgraph(folder, k):
    made, seconds = run(folder, os.path.abspath(args.flowgraph), "ffm" if args.field_aware else "fm", "train", train, "--model", "model",
                        "--cache", "clicks", "--valid", test, "--factors", k, "--epochs", args.epochs, "--threads", args.threads,
                        "--quiet", *(["--without-locks"] if args.without_locks else []))
    epochs = re.findall(r"([0-9.]+) (k|M) samples/s.*AUC ([0-9.]+)", made)
    rates = {"k": 1e3, "M": 1e6}
    return [(samples / (float(rate) * rates[unit]), float(auc)) for rate, unit, auc in epochs], seconds


def xlearn(folder, k):
    made, seconds = run(folder, os.path.abspath(args.xlearn), train, "-s", 2 if args.field_aware else 1, "-k", k, "-r", 0.1, "-b", 0.00002,
                        "-e", args.epochs, "-nthread", args.threads, "--dis-es", "-v", test, "-x", "auc", "-m", "model")
    epochs = re.findall(r"%\s+\]\s+\d+\s+[0-9.]+\s+[0-9.]+\s+([0-9.]+)\s+([0-9.]+)", made)
    return [(float(spent), float(auc)) for auc, spent in epochs], seconds


def libfm(folder, k):
    """libFM prints no area, so it trains anew for each number of epochs."""
    epochs = []
    for count in range(1, args.epochs + 1):
        _, seconds = run(folder, os.path.abspath(args.libfm), "-task", "c", "-train", train, "-test", test, "-dim", f"1,1,{k}", "-method",
                         "sgd", "-iter", count, "-learn_rate", 0.002, "-regular", "0,0,0.0005", "-init_stdev", 0.05, "-seed", 1, "-rlog",
                         "log", "-out", "predictions")
        with open(os.path.join(folder, "log")) as log:
            spent = [float(line.split("\t")[2]) for line in list(log)[1:]]
        with open(os.path.join(folder, "predictions")) as predictions:
            epochs.append((spent[-1], area([float(p) for p in predictions])))
    return epochs, seconds


programs = {"flowgraph": flowgraph, "xlearn": xlearn, "libfm": None if args.field_aware else libfm}
programs = {name: train_one for name, train_one in programs.items() if train_one and getattr(args, name)}
best = {}
for k in args.factors.split(","):
    for _ in range(args.rounds):
        for name, train_one in programs.items():
            with tempfile.TemporaryDirectory() as folder:
                epochs, whole = train_one(folder, k)
            spent, reached = 0.0, float("inf")
            for seconds, auc in epochs:
                spent += seconds
                if auc >= args.auc:
                    reached = min(reached, spent)
            now = (samples / min(seconds for seconds, _ in epochs), whole, epochs[-1][1], reached)
            was = best.get((k, name), now)
            best[k, name] = (max(was[0], now[0]), min(was[1], now[1]), now[2], min(was[3], now[3]))
    for name in programs:
        rate, whole, auc, reached = best[k, name]
        print(f"k = {k:>2} | {name:9} | {rate / 1e3:6.0f} k samples/s | {whole:6.2f} s | AUC {auc:.4f} | AUC {args.auc} after {reached:.2f} s",
              flush=True)
