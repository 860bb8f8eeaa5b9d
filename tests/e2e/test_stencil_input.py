"""Initial data of stencil programs from files that NumPy and h5py wrote."""

import subprocess

import numpy
import pytest


def values(shape, dtype):
    """Returns random numbers, so that any permutation of values or of their bytes is detected."""
    generator = numpy.random.default_rng(len(shape) + 10 * numpy.dtype(dtype).itemsize)
    bits = generator.integers(0, 256, size=int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize, dtype=numpy.uint8)
    array = bits.view(dtype).reshape(shape)
    return numpy.nan_to_num(array) if array.dtype.kind == "f" else array


@pytest.fixture
def read(build, tmp_path):
    """Returns a function that runs the program on a file, and returns the array that it reads, in the form of
    `array`, or its message."""
    def run(path, array, dataset="", components=1, fails=False):
        shape = array.shape[:-1] if components > 1 else array.shape
        done = subprocess.run([build / "tests/atoll_read_stencil", path, dataset, array.dtype.newbyteorder("=").name,
                               str(components), *map(str, shape[::-1])], capture_output=True, timeout=60)
        if fails:
            message = done.stderr.decode()
            assert (done.returncode, done.stdout) == (2, b""), message
            assert message.count("\n") == 1, message
            return message
        assert done.returncode == 0, done.stderr
        found = numpy.frombuffer(done.stdout, array.dtype.newbyteorder("=")).reshape(components, *shape)
        return numpy.moveaxis(found, 0, -1) if components > 1 else found[0]
    return run


@pytest.mark.parametrize("shape,components", [((11,), 1), ((6, 9), 1), ((3, 4, 5), 1), ((1, 1), 1), ((7, 2), 2),
                                              ((2, 3, 4), 3), ((70, 300), 1)], ids=str)
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">i4", "|i1", "<u2", ">u8"])
@pytest.mark.parametrize("fortran", [False, True])
def test_numpy_files(read, tmp_path, shape, components, dtype, fortran):
    array = values(shape + ((components,) if components > 1 else ()), dtype)
    if fortran:
        array = numpy.asfortranarray(array)
    numpy.save(tmp_path / "array.npy", array)
    numpy.testing.assert_array_equal(read(tmp_path / "array.npy", array, components=components), array)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_numpys_format(read, tmp_path, version):
    array = values((5, 4), "<f8")
    with open(tmp_path / "array.npy", "wb") as file:
        numpy.lib.format.write_array(file, array, version=version)
    numpy.testing.assert_array_equal(read(tmp_path / "array.npy", array), array)


def test_numpy_files_that_do_not_fit(read, tmp_path):
    path = tmp_path / "array.npy"
    array = values((5, 4), "<f8")

    def refused(other=None, content=None):
        if other is not None:
            numpy.save(path, other)
        if content is not None:
            path.write_bytes(content)
        return read(path, array, fails=True)

    assert "its shape is (4, 5)" in refused(values((4, 5), "<f8"))
    assert "its shape is (20)" in refused(values((20,), "<f8"))
    assert "its shape is ()" in refused(numpy.float64(2))
    assert "its values are float32" in refused(values((5, 4), "<f4")) and "astype" in refused()
    assert "'<c16'" in refused(numpy.zeros((5, 4), complex))
    assert "'|b1'" in refused(numpy.zeros((5, 4), bool))
    assert "of one type" in refused(numpy.zeros((5, 4), [("a", "f8")]))
    numpy.save(path, array)
    whole = path.read_bytes()
    assert "cut short" in refused(content=whole[:-3])
    assert "it has 161 bytes of values" in refused(content=whole + b"x")
    for end in range(0, 128, 7):
        refused(content=whole[:end])
    assert "isn't a .npy file" in refused(content=b"density 1 2 3\n")
    numpy.savez(tmp_path / "some.npz", array)
    assert ".npz" in refused(content=(tmp_path / "some.npz").read_bytes())
    for damaged in (b"shape", b"descr", b"fortran_order"):
        refused(content=whole.replace(damaged, b"x" * len(damaged)))
    assert "unknown version" in refused(content=whole[:6] + b"\x09" + whole[7:])
    path.unlink()
    assert "can't be opened" in refused()
    assert "regular file" in read(tmp_path, array, fails=True)


@pytest.mark.parametrize("dtype", ["<f8", ">f4", "|i1", ">u2", "<u8"])
@pytest.mark.parametrize("shape,components", [((8,), 1), ((6, 9), 1), ((3, 4, 5), 1), ((2, 3, 4), 3)], ids=str)
def test_hdf5_files(read, tmp_path, dtype, shape, components):
    h5py = pytest.importorskip("h5py", reason="Debian's python3-h5py isn't installed")
    array = values(shape + ((components,) if components > 1 else ()), dtype)
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file["run/density"] = array
        file.create_dataset("packed", data=array, chunks=True, compression="gzip", shuffle=True)
    for name in ("run/density", "packed"):
        numpy.testing.assert_array_equal(read(tmp_path / "run.h5", array, name, components), array)


def test_hdf5_files_that_do_not_fit(read, tmp_path):
    h5py = pytest.importorskip("h5py", reason="Debian's python3-h5py isn't installed")
    path = tmp_path / "run.h5"
    array = values((5, 4), "<f8")
    with h5py.File(path, "w") as file:
        file["turned"] = array.T.copy()
        file["single"] = numpy.ones((5, 4), "f4")
        file["signed"] = numpy.ones((5, 4), "i8")
        file["text"] = "words"
        file["group/density"] = array
    assert "its shape is (4, 5)" in read(path, array, "turned", fails=True)
    assert "its values are float32" in read(path, array, "single", fails=True)
    assert "its values are int64" in read(path, array, "signed", fails=True)
    assert "no numbers" in read(path, array, "text", fails=True)
    assert "it has no dataset 'density'" in read(path, array, "density", fails=True)
    assert "it has no dataset 'group'" in read(path, array, "group", fails=True)
    path.write_text("no HDF5")
    assert "isn't an HDF5 file" in read(path, array, "density", fails=True)
    path.unlink()
    assert "can't be opened" in read(path, array, "density", fails=True)
