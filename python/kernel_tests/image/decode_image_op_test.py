# SPDX-License-Identifier: Apache-2.0
"""DecodeBmp, DecodeGif, DecodeImage, DecodeJpeg, DecodeAndCropJpeg, DecodePng: files written here, and broken ones."""

import resource

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.image import image_files as files
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

RANDOM = np.random.RandomState(9)
RGB = RANDOM.randint(0, 256, [5, 7, 3]).astype(np.uint8)


def smooth(height, width, channels=3):
    y, x, c = np.indices([height, width, channels])
    return (128 + 100 * np.sin(0.11 * y + 0.07 * x * (c + 1))).astype(np.uint8)


def jpeg(image, **options):
    return evaluate(tf.image.encode_jpeg(image, **options))


# PNG.


@pytest.mark.parametrize(
    ("color_type", "bits", "channels"),
    [(0, 8, 1), (4, 8, 2), (2, 8, 3), (6, 8, 4), (0, 16, 1), (2, 16, 3), (6, 16, 4)],
)
def test_png_as_it_is(color_type, bits, channels):
    dtype = np.uint16 if bits == 16 else np.uint8
    pixels = RANDOM.randint(0, 1 << bits, [6, 5, channels]).astype(dtype)
    file = files.png(pixels, color_type, bits)
    got = evaluate(tf.image.decode_png(file, dtype=dtype))
    np.testing.assert_array_equal(got, pixels)
    other = evaluate(
        tf.image.decode_png(file, dtype=np.uint8 if bits == 16 else np.uint16)
    )
    want = pixels >> 8 if bits == 16 else pixels.astype(np.uint16) * 257
    np.testing.assert_array_equal(other, want)


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_png_of_few_greys(bits):
    pixels = RANDOM.randint(0, 1 << bits, [3, 11, 1])
    got = evaluate(tf.image.decode_png(files.png(pixels, 0, bits)))
    np.testing.assert_array_equal(got, pixels * (255 // ((1 << bits) - 1)))


def test_png_palette_and_transparency():
    palette = RANDOM.randint(0, 256, [4, 3]).astype(np.uint8)
    alpha = np.uint8([0, 100, 200, 255])
    pixels = RANDOM.randint(0, 4, [3, 5, 1])
    opaque = files.png(pixels, 3, 2, palette.tobytes())
    clear = files.png(pixels, 3, 2, palette.tobytes(), alpha.tobytes())
    colors = palette[pixels[..., 0]]
    both = np.concatenate([colors, alpha[pixels]], -1)
    for file, channels, want in [
        (opaque, 0, colors),
        (opaque, 3, colors),
        (clear, 0, both),
        (clear, 4, both),
        (clear, 3, colors),
    ]:
        got = evaluate(tf.image.decode_png(file, channels))
        np.testing.assert_array_equal(got, want)


def test_png_channels():
    grey = RGB[..., :1]
    got = evaluate(tf.image.decode_png(files.png(grey, 0), 3))
    np.testing.assert_array_equal(got, np.repeat(grey, 3, -1))
    got = evaluate(tf.image.decode_png(files.png(RGB, 2), 4))
    np.testing.assert_array_equal(got[..., :3], RGB)
    assert (got[..., 3] == 255).all()
    same = np.repeat(grey, 3, -1)
    got = evaluate(tf.image.decode_png(files.png(same, 2), 1))
    np.testing.assert_array_equal(got, grey)


def test_png_colors_become_luma_of_which_the_fraction_is_cut_off():
    primary = [[[255, 0, 0], [0, 255, 0], [0, 0, 255]]]
    for pixels in (np.uint8(primary), RANDOM.randint(0, 256, [9, 70, 3], np.uint8)):
        got = evaluate(tf.image.decode_png(files.png(pixels, 2), 1))[..., 0]
        # ITU-R BT.601's; libpng rounds each factor to 15 bits.
        cut = pixels @ [0.299, 0.587, 0.114] - got
        rounding = 3 * 255 * 2.0**-16
        assert cut.min() >= -rounding and cut.max() < 1 + rounding


# BMP.


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("top_down", [False, True])
def test_bmp(channels, top_down):
    pixels = RANDOM.randint(0, 256, [4, 5, channels]).astype(np.uint8)
    got = evaluate(tf.image.decode_bmp(files.bmp(pixels, top_down)))
    np.testing.assert_array_equal(got, pixels)


@pytest.mark.parametrize(
    "sides", [(0, 3), (3, 0), (3, -2), (10**6, 10**6), (-(2**31), 2**31 - 1), (5, 4)]
)
def test_bmp_of_sizes_that_are_not_there(sides):
    pixels = np.zeros([4, 4, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="BMP"):
        evaluate(tf.image.decode_bmp(files.bmp(pixels, sides=sides)))


def test_bmp_channels_are_those_of_the_file():
    with pytest.raises(tf.errors.InvalidArgumentError, match="channels"):
        evaluate(tf.image.decode_bmp(files.bmp(RGB), channels=4))


# GIF.


def test_gif_frames_are_drawn_over_one_another():
    first = RANDOM.randint(0, 4, [5, 6])
    small = np.array([[1, 2], [3, 1]])
    file = files.gif(
        5,
        6,
        files.gif_frame(first),
        files.gif_frame(small, at=(1, 3), transparent=1),
        files.gif_frame(first[::-1], interlaced=True),
    )
    got = evaluate(tf.image.decode_gif(file))
    want = files.GIF_COLORS[np.stack([first, first, first[::-1]])]
    for y, x in [(0, 1), (1, 0)]:  # The others are transparent.
        want[1, 1 + y, 3 + x] = files.GIF_COLORS[small[y, x]]
    np.testing.assert_array_equal(got, want)


def test_gif_starts_black():
    file = files.gif(
        4,
        4,
        files.gif_frame(np.full([2, 2], 3), at=(1, 1), transparent=0),
        files.gif_frame(np.zeros([4, 4], int)),
    )
    got = evaluate(tf.image.decode_gif(file))
    want = np.zeros([4, 4, 3], np.uint8)
    want[1:3, 1:3] = files.GIF_COLORS[3]
    np.testing.assert_array_equal(got[0], want)


def test_gif_that_breaks_off_has_the_frames_before():
    frame = files.gif_frame(np.ones([4, 4], int))
    file = files.gif(4, 4, frame, frame)
    assert evaluate(tf.image.decode_gif(file[: len(file) - 12])).shape[0] == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="GIF"):
        evaluate(tf.image.decode_gif(files.gif(4, 4, frame[:20])))


def test_gif_of_a_size_that_is_not_there():
    frame = files.gif_frame(np.ones([2, 2], int), sides=(65535, 65535))
    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        evaluate(tf.image.decode_gif(files.gif(2, 2, frame)))


# JPEG.


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"chroma_downsampling": False}])  # fmt: skip
@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_is_close_to_what_was_encoded(channels, options):
    image = smooth(61, 83, channels)
    file = jpeg(image, quality=100, **options)
    for method in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        got = evaluate(tf.image.decode_jpeg(file, dct_method=method))
        assert np.mean(np.abs(got.astype(int) - image)) < 3
    grey = evaluate(tf.image.decode_jpeg(file, channels=1))
    assert grey.shape == (61, 83, 1)
    assert evaluate(tf.image.decode_jpeg(file, channels=3)).shape == (61, 83, 3)


def with_scans(side, scans):
    """A progressive file of a black square, whose second scan comes `scans` times."""
    file = jpeg(np.full([16, 16, 1], 0, np.uint8), format="grayscale", progressive=True)
    at = [i for i in range(len(file) - 1) if file[i : i + 2] == b"\xff\xda"]
    head = bytearray(file[: at[1]])
    size = head.index(b"\xff\xc2") + 5
    head[size : size + 4] = side.to_bytes(2, "big") * 2
    scan = file[at[1] : at[2]]
    tables = scan.find(b"\xff\xc4")
    scan = scan[:tables] if tables > 0 else scan
    return bytes(head) + scan * scans + file[at[1] :]


def test_jpeg_of_many_scans_may_be_small():
    got = evaluate(tf.image.decode_jpeg(with_scans(16, 2000)))
    np.testing.assert_array_equal(got, np.zeros([16, 16, 1]))
    assert evaluate(tf.image.decode_jpeg(with_scans(2048, 99))).shape == (2048, 2048, 1)


@pytest.mark.parametrize("decode", [tf.image.decode_jpeg, tf.image.decode_image])
def test_jpeg_of_many_scans_may_not_be_large(decode):
    words = "8192 x 8192 pixels has more than 100 scans"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        evaluate(decode(with_scans(8192, 2000)))


@pytest.mark.parametrize("ratio", [1, 2, 4, 8])
def test_jpeg_ratio(ratio):
    image = smooth(64, 80)
    got = evaluate(tf.image.decode_jpeg(jpeg(image, quality=100), ratio=ratio))
    want = image.reshape([64 // ratio, ratio, 80 // ratio, ratio, 3]).mean((1, 3))
    assert got.shape == want.shape
    assert np.mean(np.abs(got - want)) < 4


@pytest.mark.parametrize("fancy", [True, False])
@pytest.mark.parametrize("ratio", [1, 2])
def test_jpeg_crop_is_a_part_of_the_whole(fancy, ratio):
    file = jpeg(smooth(300, 410))
    kept = {"ratio": ratio, "fancy_upscaling": fancy}
    whole = evaluate(tf.image.decode_jpeg(file, **kept))
    for top, left, height, width in [
        (0, 0, 20, 30),
        (13, 101, 40, 17),
        (80, 150, 70, 55),
        (149, 204, 1, 1),
        (0, 0, *whole.shape[:2]),
    ]:
        part = evaluate(
            tf.image.decode_and_crop_jpeg(file, [top, left, height, width], **kept)
        )
        want = whole[top : top + height, left : left + width]
        np.testing.assert_array_equal(part, want)


@pytest.mark.parametrize(
    "window",
    [[0, 0, 11, 3], [-1, 0, 3, 3], [5, 5, 6, 1], [0, 9, 1, 2], [2**31 - 1] * 4],
)
def test_jpeg_crop_must_be_inside(window):
    file = jpeg(smooth(10, 10))
    with pytest.raises(tf.errors.InvalidArgumentError, match="window"):
        evaluate(tf.image.decode_and_crop_jpeg(file, window))


def test_jpeg_that_breaks_off():
    image = smooth(96, 64)
    file = jpeg(image)
    part = file[: len(file) // 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="breaks off"):
        evaluate(tf.image.decode_jpeg(part))
    recovered = evaluate(tf.image.decode_jpeg(part, try_recover_truncated=True))
    accepted = evaluate(tf.image.decode_jpeg(part, acceptable_fraction=0.1))
    whole = evaluate(tf.image.decode_jpeg(file))
    for got in (recovered, accepted):
        assert got.shape == image.shape
        np.testing.assert_array_equal(got[:16], whole[:16])
    assert (accepted[-8:] == 0).all()


# All formats.

FILES = {
    "png": lambda: files.png(smooth(24, 40), 2),
    "bmp": lambda: files.bmp(smooth(24, 40)),
    "gif": lambda: files.gif(
        24, 40, files.gif_frame(RANDOM.randint(0, 4, [24, 40]), interlaced=True)
    ),
    "jpeg": lambda: jpeg(smooth(24, 40)),
}


def test_formats_that_ops_share():
    got = {k: evaluate(tf.image.decode_image(make())) for k, make in FILES.items()}
    for kind in ("png", "jpeg", "gif"):
        frames = evaluate(tf.image.decode_gif(FILES[kind]()))
        assert frames.shape == (1, 24, 40, 3)
    for kind in ("png", "jpeg"):
        for decode in (tf.image.decode_png, tf.image.decode_jpeg):
            np.testing.assert_array_equal(evaluate(decode(FILES[kind]())), got[kind])
    assert evaluate(tf.image.decode_png(FILES["gif"]())).shape == (24, 40, 3)
    for decode in (tf.image.decode_png, tf.image.decode_gif, tf.image.decode_jpeg):
        with pytest.raises(tf.errors.InvalidArgumentError, match="BMP"):
            evaluate(decode(FILES["bmp"]()))
    with pytest.raises(tf.errors.InvalidArgumentError, match="format"):
        evaluate(tf.image.decode_bmp(FILES["png"]()))


@pytest.mark.parametrize("kind", FILES)
def test_decode_image_scales_to_the_dtype(kind):
    file = FILES[kind]()
    whole = evaluate(tf.image.decode_image(file))
    number = evaluate(tf.image.decode_image(file, dtype=tf.float32))
    np.testing.assert_allclose(number, whole / 255, rtol=0, atol=1e-6)
    words = evaluate(tf.image.decode_image(file, dtype=tf.uint16))
    np.testing.assert_array_equal(words >> 8, whole)
    single = tf.image.decode_image(file, expand_animations=False)
    assert single.shape.ndims == 3
    np.testing.assert_array_equal(evaluate(single).reshape(whole.shape), whole)


def test_animations_are_for_two_ops():
    frame = files.gif_frame(np.ones([2, 3], int))
    file = files.gif(2, 3, frame, frame)
    assert evaluate(tf.image.decode_image(file)).shape == (2, 2, 3, 3)
    one = tf.image.decode_image(file, expand_animations=False)
    assert evaluate(one).shape == (2, 3, 3)
    # As large as all of them, though one is drawn.
    file = files.gif(4, 5, frame, files.gif_frame(np.ones([4, 5], int)))
    grown = tf.image.decode_image(file, expand_animations=False)
    whole = evaluate(tf.image.decode_image(file))
    assert whole.shape == (2, 4, 5, 3)
    np.testing.assert_array_equal(evaluate(grown), whole[0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 frames"):
        evaluate(tf.image.decode_png(file))


@pytest.mark.parametrize("contents", [b"", b"no image", b"\xff\xd8\xff", b"GIF89a", b"BM", b"\x89PNG\r\n\x1a\n"])  # fmt: skip
def test_no_image(contents):
    with pytest.raises(tf.errors.InvalidArgumentError):
        evaluate(tf.image.decode_image(contents))


@pytest.mark.parametrize("kind", FILES)
def test_broken_files_are_errors_or_images(kind):
    """Truncated at many points and with bits flipped: an image or InvalidArgument, in little memory."""
    file = FILES[kind]()
    broken = [file[:n] for n in range(0, len(file), max(1, len(file) // 60))]
    for bit in range(0, 8 * len(file), 97 if len(file) < 3000 else 1009):
        changed = bytearray(file)
        changed[bit // 8] ^= 1 << bit % 8
        broken.append(bytes(changed))
    contents = tf.placeholder(tf.string)
    image = tf.image.decode_image(contents)
    refused = 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tf.Session() as session:
        for each in broken:
            try:
                session.run(image, {contents: each})
            except tf.errors.InvalidArgumentError:
                refused += 1
    assert refused > 20
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200_000  # Kilobytes.


def test_sizes_that_are_not_there_take_no_memory():
    huge = [
        files.png(RGB, 2, sides=(20_000, 20_000)),
        files.png(RGB, 2, sides=(2**31 - 1, 2**31 - 1)),
        files.png(RGB, 2, sides=(2**27 - 1, 1)),
    ]
    head = bytearray(jpeg(smooth(16, 16)))
    at = head.index(b"\xff\xc0") + 5
    head[at : at + 4] = b"\xff\xdc\xff\xdc"
    huge.append(bytes(head))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for file in huge:
        with pytest.raises(tf.errors.InvalidArgumentError):
            evaluate(tf.image.decode_image(file))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100_000


@pytest.mark.parametrize(
    "build",
    [
        lambda: tf.image.decode_png(b"", channels=2),
        lambda: tf.image.decode_jpeg([b"", b""]),
        lambda: tf.image.decode_and_crop_jpeg(b"", [0, 0, 0, 1]),
        lambda: tf.image.decode_and_crop_jpeg(b"", [0, 0, 1]),
    ],
)
def test_what_is_wrong_before_the_run(build):
    with pytest.raises(ValueError):
        build()


@pytest.mark.parametrize("options", [{"ratio": 3}, {"dct_method": "SLOW"}, {"channels": 4}])  # fmt: skip
def test_options_of_jpeg(options):
    file = jpeg(smooth(8, 8))
    with pytest.raises(tf.errors.InvalidArgumentError):
        evaluate(tf.image.decode_jpeg(file, **options))
