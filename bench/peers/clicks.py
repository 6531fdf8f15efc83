"""Trains factorization machines with the program flowgraph, libFM and xLearn on the same files, in turns, and prints a table.

    clicks.py --data PREFIX --flowgraph PROGRAM [--libfm PROGRAM] [--xlearn PROGRAM] [--models fm,ffm] [--factors 8,16,64]
              [--field-factors 8] [--seeds 5] [--first-seed 1] [--epochs 5] [--threads 1] [--without-locks] [--auc 0.72]
              [--cpu-seconds]

PREFIX.train.libsvm and PREFIX.test.libsvm contain the clicks, for ffm PREFIX.train.libffm and PREFIX.test.libffm. Each program uses
one set of parameters for all numbers of factors (--factors, for ffm --field-factors). Each line contains the medians of --seeds runs
with seeds from --first-seed on; xLearn has no option for a seed, and libFM has no ffm. The columns are: samples per second of the
median epoch, without loading and evaluation; seconds of the whole process; the area under the ROC curve on the test file after the
last epoch; and the seconds of training until the area has reached --auc. The first epoch contains the creation of the parameters:
flowgraph creates rows when it first reads their keys, xLearn creates all of them before the epoch. With --cpu-seconds, seconds are
those of the processor, for machines that are used by other programs too: the seconds of an epoch are multiplied by the part of the
process's time in which it had a processor. If the load changes within a process, the seconds of single epochs are wrong, but those
of the whole process are right.
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser(usage=__doc__)
for name, default in (("data", None), ("flowgraph", None), ("libfm", None), ("xlearn", None), ("models", "fm"), ("factors", "8,16,64"),
                      ("field-factors", "8")):
    parser.add_argument("--" + name, default=default)
parser.add_argument("--seeds", type=int, default=5)
parser.add_argument("--first-seed", type=int, default=1)
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--auc", type=float, default=0.72)
parser.add_argument("--without-locks", action="store_true")
parser.add_argument("--cpu-seconds", action="store_true")
args = parser.parse_args()


class Clicks:
    """The files of a model."""

    def __init__(self, model):
        kind = "libffm" if model == "ffm" else "libsvm"
        self.model = model
        self.train, self.test = (os.path.abspath(f"{args.data}.{part}.{kind}") for part in ("train", "test"))
        with open(self.train) as lines:
            self.samples = sum(1 for _ in lines)
        with open(self.test) as lines:
            self.labels = [float(line.split(None, 1)[0]) > 0 for line in lines]

    def area(self, predictions):
        """The area under the ROC curve; equal predictions count half."""
        ranked = sorted(zip(predictions, self.labels))
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
    """The output of a command, its seconds, and the factor from measured seconds to reported ones. One thread stays on one processor."""
    pinned = ["taskset", "-c", str(max(os.sched_getaffinity(0)))] if args.threads == 1 and not args.cpu_seconds else []
    path = os.path.join(folder, "printed")
    began = time.monotonic()
    with open(path, "wb") as printed:
        process = subprocess.Popen([*pinned, *map(str, command)], cwd=folder, env={**os.environ, "USER": "bench"}, stdout=printed,
                                   stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    with open(path, errors="replace") as printed:
        text = re.sub(r"\x1b\[[0-9;]*m", "", printed.read())
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{text}")
    factor = (used.ru_utime + used.ru_stime) / seconds if args.cpu_seconds else 1.0
    return text, seconds * factor, factor


def flowgraph(folder, clicks, k, seed):
    text, seconds, factor = run(folder, os.path.abspath(args.flowgraph), clicks.model, "train", clicks.train, "--model", "model",
                                "--cache", "clicks", "--valid", clicks.test, "--factors", k, "--epochs", args.epochs, "--threads",
                                args.threads, "--seed", seed, "--quiet", *(["--without-locks"] if args.without_locks else []))
    epochs = re.findall(r"([0-9.]+) (k|M) samples/s.*AUC ([0-9.]+)", text)
    rates = {"k": 1e3, "M": 1e6}
    return [(factor * clicks.samples / (float(rate) * rates[unit]), float(auc)) for rate, unit, auc in epochs], seconds


def xlearn(folder, clicks, k, seed):
    # xLearn writes its cache into the folder of the text.
    os.symlink(clicks.train, os.path.join(folder, "train"))
    os.symlink(clicks.test, os.path.join(folder, "test"))
    text, seconds, factor = run(folder, os.path.abspath(args.xlearn), "train", "-s", 2 if clicks.model == "ffm" else 1, "-k", k, "-r",
                                0.1, "-b", 0.00002, "-e", args.epochs, "-nthread", args.threads, "--dis-es", "-v", "test", "-x", "auc",
                                "-m", "model")
    epochs = re.findall(r"%\s+\]\s+\d+\s+[0-9.]+\s+[0-9.]+\s+([0-9.]+)\s+([0-9.]+)", text)
    before = [float(re.search(r"model initial: ([0-9.]+)", text)[1])] + [0.0] * len(epochs)
    return [(factor * (float(spent) + more), float(auc)) for (auc, spent), more in zip(epochs, before)], seconds


def libfm(folder, clicks, k, seed):
    """libFM prints no area, so it trains anew for each number of epochs. Its log contains seconds of the processor."""
    epochs = []
    for count in range(1, args.epochs + 1):
        _, seconds, _ = run(folder, os.path.abspath(args.libfm), "-task", "c", "-train", clicks.train, "-test", clicks.test, "-dim",
                            f"1,1,{k}", "-method", "sgd", "-iter", count, "-learn_rate", 0.002, "-regular", "0,0,0.0005",
                            "-init_stdev", 0.05, "-seed", seed, "-rlog", "log", "-out", "predictions")
        with open(os.path.join(folder, "log")) as log:
            spent = [float(line.split("\t")[2]) for line in list(log)[1:]]
        with open(os.path.join(folder, "predictions")) as predictions:
            epochs.append((spent[-1], clicks.area([float(p) for p in predictions])))
    return epochs, seconds


def measured(train_one, clicks, k, seed):
    """Samples per second, seconds of the process, the last area, and seconds until --auc."""
    with tempfile.TemporaryDirectory() as folder:
        epochs, whole = train_one(folder, clicks, k, seed)
    spent, reached = 0.0, float("inf")
    for seconds, auc in epochs:
        spent += seconds
        if auc >= args.auc:
            reached = min(reached, spent)
    return clicks.samples / statistics.median(seconds for seconds, _ in epochs), whole, epochs[-1][1], reached


unit = "CPU s" if args.cpu_seconds else "s"
print(f"| model | k | program | k samples/s | whole process, {unit} | AUC after {args.epochs} epochs | {unit} to AUC {args.auc} |")
print("|---|---|---|---|---|---|---|", flush=True)
for model in args.models.split(","):
    programs = {"flowgraph": flowgraph, "xlearn": xlearn, "libfm": libfm if model == "fm" else None}
    programs = {name: train_one for name, train_one in programs.items() if train_one and getattr(args, name)}
    clicks = Clicks(model)
    for k in (args.field_factors if model == "ffm" else args.factors).split(","):
        found = {name: [] for name in programs}
        for seed in range(args.first_seed, args.first_seed + args.seeds):
            for name, train_one in programs.items():
                found[name].append(measured(train_one, clicks, k, seed))
        for name in programs:
            rate, whole, auc, reached = (statistics.median(column) for column in zip(*found[name]))
            print(f"| {model} | {k} | {name} | {rate / 1e3:.0f} | {whole:.2f} | {auc:.4f} | {reached:.2f} |", flush=True)
