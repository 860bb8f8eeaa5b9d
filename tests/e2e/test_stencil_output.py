"""Files of stencil programs, read by others: HDF5 by h5py, XDMF by an XML parser."""

import subprocess
import xml.etree.ElementTree as ElementTree

import numpy
import pytest

h5py = pytest.importorskip("h5py", reason="Debian's python3-h5py isn't installed")


@pytest.fixture(scope="module")
def folder(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("output")
    subprocess.run([build / "tests/atoll_write_stencil", folder], check=True, timeout=120)
    return folder


def values(shape, more=0, component=0):
    """What the program computes: shape is z, y, x."""
    z, y, x = numpy.indices(shape)
    return x + 100 * y + 10_000 * z + 1_000_000 * component + more


def numbers(text):
    return [float(word) for word in text.split()]


class Grid:
    """One grid of a step, as its XDMF tells it: points in x, y, z, and fields by name."""

    def __init__(self, folder, element):
        topology = element.find("Topology")
        self.nodes = [int(n) for n in topology.get("Dimensions").split()]
        geometry = element.find("Geometry")
        items = geometry.findall("DataItem")
        self.read = lambda item: self.dataset(folder, item)
        if geometry.get("GeometryType") == "ORIGIN_DXDYDZ":
            assert topology.get("TopologyType") == "3DCoRectMesh"
            origin, spacing = (numbers(item.text)[::-1] for item in items)
            self.points = [
                [origin[d] + i * spacing[d] for i in range(n)] for d, n in enumerate(self.nodes[::-1])
            ]
        else:
            assert topology.get("TopologyType") == "3DRectMesh"
            self.points = [list(self.read(item)) for item in items]
        self.fields = {}
        for attribute in element.findall("Attribute"):
            item = attribute.find("DataItem")
            data = self.read(item)
            components = 3 if attribute.get("AttributeType") == "Vector" else 1
            less = 0 if attribute.get("Center") == "Node" else 1
            # A mesh that is flat in z has one cell there, as VTK has it.
            wanted = [max(n - less, 1) for n in self.nodes] + ([3] if components == 3 else [])
            assert [int(n) for n in item.get("Dimensions").split()] == wanted
            self.fields[attribute.get("Name")] = (attribute.get("Center"), data.reshape(wanted))

    @staticmethod
    def dataset(folder, item):
        assert item.get("Format") == "HDF"
        file, path = item.text.split(":")
        with h5py.File(folder / file, "r") as data:
            found = data[path][...]
        kinds = {"Float": "f", "Int": "i", "Char": "i", "UInt": "u", "UChar": "u"}
        assert found.dtype.kind == kinds[item.get("NumberType")]
        assert found.dtype.itemsize == int(item.get("Precision"))
        dimensions = [int(n) for n in item.get("Dimensions").split()]
        assert found.size == numpy.prod(dimensions)
        return found


def steps(folder, name):
    """The steps of a series: their time, and their grids by name."""
    root = ElementTree.parse(folder / f"{name}.xmf").getroot()
    assert root.tag == "Xdmf"
    series = root.find("Domain/Grid")
    assert (series.get("GridType"), series.get("CollectionType")) == ("Collection", "Temporal")
    for step in series.findall("Grid"):
        grids = step.findall("Grid") or [step]
        yield float(step.find("Time").get("Value")), {g.get("Name"): Grid(folder, g) for g in grids}


def same(found, center, wanted):
    assert found[0] == center
    numpy.testing.assert_array_equal(found[1], wanted)


def test_flat_fields_of_every_place(folder):
    found = list(steps(folder, "flat"))
    assert [time for time, _ in found] == [0, 1.25, 2.5]
    for step, (_, grids) in zip((0, 10, 20), found):
        assert set(grids) == {"mesh", "x faces", "y faces"}
        mesh = grids["mesh"]
        assert mesh.points == [[1 + 0.5 * i for i in range(8)], [2 + 0.25 * i for i in range(6)], [0]]
        same(mesh.fields["density"], "Cell", values((1, 5, 7), step))
        same(mesh.fields["u"], "Node", values((1, 6, 8), step))
        same(mesh.fields["pair_0"], "Cell", values((1, 5, 7), step))
        same(mesh.fields["pair_1"], "Cell", values((1, 5, 7), step, component=1))
        faces = grids["x faces"]
        assert faces.points == [[1 + 0.5 * i for i in range(8)], [2.125 + 0.25 * i for i in range(5)], [0]]
        same(faces.fields["flux x"], "Node", values((1, 5, 8), step))
        faces = grids["y faces"]
        assert faces.points == [[1.25 + 0.5 * i for i in range(7)], [2 + 0.25 * i for i in range(6)], [0]]
        same(faces.fields["mark"], "Node", values((1, 6, 7), step) % 256)


def test_solid_fields_on_coordinates(folder):
    ((time, grids),) = steps(folder, "solid")
    assert time == 1 / 3
    assert set(grids) == {"mesh", "z edges"}
    assert grids["mesh"].points == [[0, 1, 3, 6, 10], [0, 1, 2, 3], [-1, 0, 4]]
    velocity = numpy.stack([values((2, 3, 4), component=c) for c in range(3)], axis=-1)
    same(grids["mesh"].fields["velocity"], "Cell", velocity)
    same(grids["mesh"].fields["node"], "Node", values((3, 4, 5)))
    assert grids["z edges"].points == [[0, 1, 3, 6, 10], [0, 1, 2, 3], [-0.5, 2]]
    same(grids["z edges"].fields["edge"], "Node", values((2, 4, 5)))


def test_steps_tell_their_time(folder):
    with h5py.File(folder / "flat_000010.h5", "r") as data:
        assert dict(data.attrs) == {"step": 10, "time": 1.25}
        assert data["density"].shape == (5, 7)
        assert data["density"].dtype == numpy.dtype("<f8")


def test_nothing_else_is_left(folder):
    assert sorted(file.name for file in folder.iterdir()) == [
        "flat.xmf", "flat_000000.h5", "flat_000010.h5", "flat_000020.h5", "solid.xmf", "solid_000003.h5"]


def test_a_folder_that_isnt_there(build, tmp_path):
    done = subprocess.run([build / "tests/atoll_write_stencil", tmp_path / "none"], capture_output=True, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert f"{tmp_path}/none/flat_000000.h5" in done.stderr and "No such file" in done.stderr
