"""What TensorBoard shows of event files that flowgraph has written, asked of its HTTP interface.

    tensorboard.py PROGRAM [--rendered] [--pictures PREFIX]      runs PROGRAM FOLDER: tests/conformance/written_events.cpp

--rendered looks at the pages too, in Chromium without a window; --pictures keeps what they show. Ends in 77, and says so, where this
Python has no TensorBoard, or there is no Chromium to render with.
"""
import sys

sys.path.pop(0)  # this file's folder, in which it bears TensorBoard's name

import argparse
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

SKIPPED = 77
STEPS = 5
LATEST = 2 * STEPS - 1


class Server:
    """TensorBoard over a folder, until the end of a with block."""

    def __init__(self, folder, *options):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"http://127.0.0.1:{free.getsockname()[1]}/"
        port = self.address.rsplit(":", 1)[1].rstrip("/")
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tensorboard.main", "--logdir", folder, "--port", port, "--host", "127.0.0.1", *options],
            stdout=self.log, stderr=self.log, env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES=""))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def bytes(self, path, **query):
        with urllib.request.urlopen(self.address + path + ("?" if query else "") + urllib.parse.urlencode(query), timeout=30) as answer:
            return answer.read()

    def ask(self, plugin, path, **query):
        return json.loads(self.bytes(f"data/plugin/{plugin}/{path}", **query))

    def wait_for(self, what, is_there):
        """Until it is: the files are loaded while TensorBoard answers already."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                if is_there():
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError, KeyError, IndexError):
                pass
            time.sleep(0.2)
        self.log.seek(0)
        sys.exit(f"TensorBoard does not show {what}\n{self.log.read().decode()}")


def pixels(file):
    """Width, height, channels and the bytes of a PNG file."""
    at, packed = 8, b""
    while at < len(file):
        size, = struct.unpack(">I", file[at:at + 4])
        if file[at + 4:at + 8] == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", file[at + 8:at + 18])
        if file[at + 4:at + 8] == b"IDAT":
            packed += file[at + 8:at + 8 + size]
        assert zlib.crc32(file[at + 4:at + 8 + size]) == struct.unpack(">I", file[at + 8 + size:at + 12 + size])[0]
        at += 12 + size
    assert depth == 8
    n = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
    rows, made = zlib.decompress(packed), []
    above = bytes(width * n)
    for y in range(height):
        how, *row = rows[y * (width * n + 1):(y + 1) * (width * n + 1)]
        for x in range(width * n):
            left, corner = (row[x - n], above[x - n]) if x >= n else (0, 0)
            near = min((abs(above[x] - corner), 0, left), (abs(left - corner), 1, above[x]), (abs(left + above[x] - 2 * corner), 2, corner))
            row[x] = (row[x] + (0, left, above[x], (left + above[x]) // 2, near[2])[how]) % 256
        above = bytes(row)
        made += row
    return width, height, n, made


def near(a, b):
    return abs(a - b) <= 1e-6 * abs(b)


def check_scalars(server):
    tags = server.ask("scalars", "tags")
    assert tags["by_ops"].keys() == {"model/loss"} and tags["by_writer"].keys() == {"model/loss"}, tags
    found = server.ask("scalars", "scalars", run="by_ops", tag="model/loss")
    assert [step for _, step, _ in found] == list(range(STEPS)), found
    assert all(near(value, 0.5 / (step + 1)) for _, step, value in found), found
    assert all(abs(when - time.time()) < 600 for when, _, _ in found), found
    found = server.ask("scalars", "scalars", run="by_writer", tag="model/loss")
    assert [step for _, step, _ in found] == list(range(LATEST + 1)), found
    assert all(near(value, (2 if step < 3 else 20) / (step + 1)) for _, step, value in found), found


def check_histograms(server):
    for run, by_step in ("by_ops", 1), ("by_writer", 0):
        found = server.ask("histograms", "histograms", run=run, tag="model/values")
        # A program that resumed says from where; one of TensorBoard's two ways to read asks each tag whether it was written again.
        shown = 3 if run == "by_writer" and len(found) == 3 else STEPS
        assert [step for _, step, _ in found] == list(range(shown)), found
        for _, step, buckets in found:
            counts = [count for _, _, count in buckets]
            assert abs(sum(counts) - 100) < 1e-6, (run, step, counts)
            assert near(buckets[-1][1], 99 + by_step * step) and abs(buckets[0][0] - by_step * step) < 1e-6, buckets


def check_images(server):
    tags = server.ask("images", "tags")
    assert set(tags["by_ops"]) == {"images/image/0", "images/image/1"} and set(tags["by_writer"]) == {"grey/image"}, tags
    for image in 0, 1:
        found = server.ask("images", "images", run="by_ops", tag=f"images/image/{image}", sample=0)
        assert [f["step"] for f in found] == list(range(STEPS)), found
        for f in found:
            width, height, channels, shown = pixels(server.bytes("data/plugin/images/individualImage?" + f["query"]))
            assert (width, height, channels) == (4, 3, 3)
            assert shown == [7 * (f["step"] + 36 * image + i) % 256 for i in range(36)], shown
    found = server.ask("images", "images", run="by_writer", tag="grey/image", sample=0)
    assert pixels(server.bytes("data/plugin/images/individualImage?" + found[0]["query"]))[3] == [0, 63, 127, 255]


def check_audio(server):
    tags = server.ask("audio", "tags")
    assert set(tags["by_ops"]) == {"sounds/audio/0"}, tags
    found = server.ask("audio", "audio", run="by_ops", tag="sounds/audio/0", sample=0)
    assert [f["step"] for f in found] == list(range(STEPS)), found
    for f in found:
        file = server.bytes("data/plugin/audio/individualAudio?" + f["query"])
        assert file[:4] == b"RIFF" and struct.unpack("<HHI", file[20:28]) == (1, 2, 8000), file[:44]
        samples = struct.unpack("<100h", file[44:])
        assert list(samples) == [round(((f["step"] + i) % 17 / 16 - 0.5) * 32768) for i in range(100)], samples


def check_text(server):
    found = server.ask("text", "text", run="by_ops", tag="notes")
    assert "<strong>bold</strong> words" in found[-1]["text"], found
    assert "<table>" in server.ask("text", "text", run="by_writer", tag="notes")[-1]["text"]


def check_graph(server):
    info = server.ask("graphs", "info")
    assert info["by_ops"]["run_graph"] and "step 4" in info["by_ops"]["tags"], info
    graph = server.bytes("data/plugin/graphs/graph", run="by_ops", limit_attr_size=1024, large_attrs_key="_too_large_attrs").decode()
    for part in ('name: "model/RealDiv"', 'op: "RealDiv"', 'device: "/device:cpu:0"', 'input: "model/rate', '"_output_shapes"', "size: 100"):
        assert part in graph, (part, graph)
    run = server.bytes("data/plugin/graphs/run_metadata", run="by_ops", tag="step 4").decode()
    for part in ('node_name: "model/RealDiv"', 'device: "/device:cpu:0"', "all_end_rel_micros: 21", "total_bytes: 4096"):
        assert part in run, (part, run)


def check_answers(server):
    server.wait_for("the last numbers", lambda: server.ask("scalars", "scalars", run="by_writer", tag="model/loss")[-1][1] == LATEST)
    server.wait_for("the last texts", lambda: server.ask("text", "text", run="by_ops", tag="notes")[-1]["step"] == STEPS - 1)
    server.wait_for("the run of a step", lambda: "step 4" in server.ask("graphs", "info")["by_ops"]["tags"])
    for check in check_scalars, check_histograms, check_images, check_audio, check_text, check_graph:
        check(server)


class Browser:
    """Chromium without a window, until the end of a with block: asked in JSON over a pair of pipes."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.to = os.pipe()
        self.answers, answers = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{commands} 4>&{answers}', program, "--headless", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "--window-size=1200,760"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.read, self.count, self.session = b"", 0, None
        page = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.tell("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.profile.cleanup()

    def tell(self, method, **parameters):
        """A command, and its answer."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.read:
                block = os.read(self.answers, 1 << 16)
                assert block, "Chromium has ended"
                self.read += block
            one, self.read = self.read.split(b"\0", 1)
            answer = json.loads(one)
            if answer.get("id") == self.count:
                assert "error" not in answer, answer
                return answer["result"]

    def value(self, expression):
        return self.tell("Runtime.evaluate", expression=expression)["result"].get("value")

    def show(self, address, parts):
        """Opens a page, and waits until it contains all the parts, blanks aside: a tag is shown in pieces."""
        self.tell("Page.navigate", url="about:blank")
        self.tell("Page.navigate", url=address)
        end = time.monotonic() + 60
        while True:
            text = self.value("""(function text(root) {
              let all = root.body ? root.body.innerText : [...root.children].map(e => e.textContent).join(" ");
              for (const e of root.querySelectorAll("*")) if (e.shadowRoot) all += " " + text(e.shadowRoot);
              return all;
            })(document).replace(/\\s/g, "")""") or ""
            lacking = [part for part in parts if part not in text]
            if not lacking:
                return
            assert time.monotonic() < end, f"the page {address} does not show {lacking}: {text}"
            time.sleep(0.2)

    def picture(self):
        return base64.b64decode(self.tell("Page.captureScreenshot", format="png")["data"])


def check_page(server, program, picture):
    """What a browser makes of it: tags, runs and nodes stand in the pages, which are not empty."""
    with Browser(program) as browser:
        for page, parts in (("?tagFilter=model#timeseries", ("model/loss", "model/values", "by_ops", "by_writer")),
                            ("?tagFilter=image#timeseries", ("images/image/0", "grey/image")),
                            ("#graphs&run=by_ops", ("model", "MergeSummary", "ImageSummary"))):
            browser.show(server.address + page, parts)
            time.sleep(2)  # what moves comes to rest
            shown = browser.picture()
            if picture:
                with open(f"{picture}-{page.split('#')[1].split('&')[0]}-{parts[0].split('/')[0]}.png", "wb") as file:
                    file.write(shown)
            width, height, _, colours = pixels(shown)
            assert width == 1200 and len(set(colours)) > 50, f"the page {page} is empty"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--rendered", action="store_true")
    arguments.add_argument("--pictures")
    chosen = arguments.parse_args()
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        import tensorboard
    except ImportError as why:
        print("skipped:", why)
        return SKIPPED
    if chosen.rendered and not browser:
        print("skipped: there is no chromium")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([chosen.program, folder], check=True)
        for options in (), ("--load_fast=false",):
            with Server(folder, *options) as server:
                check_answers(server)
                if chosen.rendered and not options:
                    check_page(server, browser, chosen.pictures)
    print(f"TensorBoard {tensorboard.__version__}: numbers, distributions, images, sounds, texts and the graph are as written"
          + (", and so are its pages" if chosen.rendered else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
