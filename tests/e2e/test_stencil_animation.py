"""demo/animate.py: combines frames of a stencil program into an animation, played in a browser."""

import base64
import json
import subprocess
import zlib

import pytest

STEPS = 12


@pytest.fixture(scope="module")
def frames(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("frames")
    subprocess.run([build / "tests/atoll_write_stencil", folder], check=True, timeout=120)
    return [folder / f"wave_{step:06}.png" for step in range(STEPS)]


@pytest.fixture
def animate(source, tmp_path):
    def run(*words):
        return subprocess.run([source / "demo/animate.py", *map(str, words)], cwd=tmp_path, capture_output=True,
                              text=True, timeout=60)

    return run


def refused(done, *words):
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    for word in words:
        assert str(word) in done.stderr


DECODE = """(async () => {
    const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
    const pixels = async image => {
        const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, canvas.width, canvas.height).data;
    };
    const decoder = text => new ImageDecoder({data: bytes(text), type: "image/png"});
    const all = decoder(window.animation), frames = window.frames_;
    await all.tracks.ready;
    await all.completed;
    const track = all.tracks.selectedTrack;
    const told = {animated: track.animated, count: track.frameCount, repeats: track.repetitionCount === Infinity,
                  durations: [], differ: []};
    for (let i = 0; i < track.frameCount; ++i) {
        const {image} = await all.decode({frameIndex: i});
        told.durations.push(image.duration / 1000);
        const one = await decoder(frames[i]).decode();
        const mine = await pixels(image), wanted = await pixels(one.image);
        if (mine.length !== wanted.length || !mine.every((value, at) => value === wanted[at])) told.differ.push(i);
    }
    return told;
})()"""


def test_a_browser_plays_all_frames(animate, frames, browser, tmp_path):
    assert animate(*frames, "-o", "wave.png", "--fps", 20, "--hold", 2).returncode == 0
    text = [base64.b64encode(file.read_bytes()).decode() for file in [tmp_path / "wave.png", *frames]]
    page = tmp_path / "page.html"
    page.write_text(f"<html data-ready=yes><img src=data:image/png;base64,{text[0]}></html>")
    browser.open(page)
    browser.run(f"[window.animation, ...window.frames_] = {json.dumps(text)}, true")
    told = browser.run(DECODE)
    assert told == {"animated": True, "count": STEPS, "repeats": True,
                    "durations": [50] * (STEPS - 1) + [2000], "differ": []}
    # The page also plays the animation without further calls: the screen changes.
    seen = set()
    for _ in range(100):
        seen.add(browser.screenshot())
        if len(seen) > 3:
            break
    assert len(seen) > 3


def test_frames_that_dont_fit(animate, frames, tmp_path):
    good = frames[0].read_bytes()
    bad = tmp_path / "bad.png"
    for content, word in ((b"GIF89a", "isn't a PNG file"), (good[:-20], "cut short or damaged"),
                          (good[:100] + bytes([good[100] ^ 1]) + good[101:], "cut short or damaged")):
        bad.write_bytes(content)
        refused(animate(frames[0], bad, "-o", "out.png"), bad, word)
    wide = bytearray(good)
    wide[16:20] = (1).to_bytes(4, "big")
    wide[29:33] = zlib.crc32(bytes(wide[12:29])).to_bytes(4, "big")
    bad.write_bytes(wide)
    refused(animate(frames[0], bad, "-o", "out.png"), bad, "another size or palette")
    refused(animate(tmp_path / "none.png", "-o", "out.png"), "none.png", "No such file")
    refused(animate(frames[0], "-o", "none/out.png"), "none/out.png", "can't be written")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.png"]


def test_an_older_animation_stays_if_a_frame_is_wrong(animate, frames, tmp_path):
    (tmp_path / "out.png").write_text("older")
    refused(animate(*frames, tmp_path / "none.png", "-o", "out.png"))
    assert (tmp_path / "out.png").read_text() == "older"
    assert [file.name for file in tmp_path.iterdir()] == ["out.png"]
