"""Files of stencil programs, read by independent readers: HDF5 by h5py, XDMF by an XML parser."""

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
    """Returns the values that the program computes: shape is (z,) (y,) x."""
    z, y, x = numpy.indices((1,) * (3 - len(shape)) + shape)
    return (x + 100 * y + 10_000 * z + 1_000_000 * component + more).reshape(shape)


def numbers(text):
    return [float(word) for word in text.split()]


class Grid:
    """One grid of a step, as described by its XDMF: points in x, y, z, and fields by name."""

    def __init__(self, folder, element):
        topology = element.find("Topology")
        nodes = [int(n) for n in topology.get("Dimensions").split()]
        geometry = element.find("Geometry")
        items = geometry.findall("DataItem")
        kind = (topology.get("TopologyType"), geometry.get("GeometryType"))
        if kind == ("3DCoRectMesh", "ORIGIN_DXDYDZ"):
            origin, spacing = (numbers(item.text)[::-1] for item in items)
            self.points = [[origin[d] + i * spacing[d] for i in range(n)] for d, n in enumerate(nodes[::-1])]
        else:
            assert kind in (("2DRectMesh", "VXVY"), ("3DRectMesh", "VXVYVZ"))
            self.points = [list(self.dataset(folder, item)) for item in items]
        assert [len(points) for points in self.points] == nodes[::-1]
        self.fields = {}
        for attribute in element.findall("Attribute"):
            data = self.dataset(folder, attribute.find("DataItem"))
            components = 3 if attribute.get("AttributeType") == "Vector" else 1
            less = 0 if attribute.get("Center") == "Node" else 1
            assert data.size == numpy.prod([n - less for n in nodes]) * components
            self.fields[attribute.get("Name")] = (attribute.get("Center"), data)

    @staticmethod
    def dataset(folder, item):
        assert item.get("Format") == "HDF"
        file, path = item.text.split(":")
        with h5py.File(folder / file, "r") as data:
            found = data[path][...]
        kinds = {"Float": "f", "Int": "i", "Char": "i", "UInt": "u", "UChar": "u"}
        assert found.dtype.kind == kinds[item.get("NumberType")]
        assert found.dtype.itemsize == int(item.get("Precision"))
        # The rank must be equal, too: otherwise ParaView's reader uses the wrong values.
        assert [int(n) for n in item.get("Dimensions").split()] == list(found.shape)
        return found


def steps(folder, name):
    """Returns the steps of a series: their time, and their grids by name."""
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
    x = [1 + 0.5 * i for i in range(8)]
    y = [2 + 0.25 * i for i in range(6)]
    for step, (_, grids) in zip((0, 10, 20), found):
        assert set(grids) == {"mesh", "x faces", "y faces"}
        mesh = grids["mesh"]
        assert mesh.points == [x, y]
        same(mesh.fields["density"], "Cell", values((5, 7), step))
        same(mesh.fields["u"], "Node", values((6, 8), step))
        same(mesh.fields["pair_0"], "Cell", values((5, 7), step))
        same(mesh.fields["pair_1"], "Cell", values((5, 7), step, component=1))
        faces = grids["x faces"]
        assert faces.points == [x, [at + 0.125 for at in y[:-1]]]
        same(faces.fields["flux x"], "Node", values((5, 8), step))
        faces = grids["y faces"]
        assert faces.points == [[at + 0.25 for at in x[:-1]], y]
        same(faces.fields["mark"], "Node", values((6, 7), step) % 256)


def test_fields_of_one_dimension(folder):
    ((_, grids),) = steps(folder, "line")
    assert set(grids) == {"mesh", "nodes"}
    assert grids["mesh"].points == [[0, 2, 4, 6, 8, 10, 12], [0, 1]]
    same(grids["mesh"].fields["heat"], "Cell", values((1, 6)))
    assert grids["nodes"].points == [[0, 2, 4, 6, 8, 10, 12], [0.5]]
    same(grids["nodes"].fields["flow"], "Node", values((1, 7), 5))


def test_uniform_meshes_of_one_plane(folder):
    ((_, grids),) = steps(folder, "uniform")
    x, y = [1, 1.5, 2, 2.5, 3], [2, 2.25, 2.5, 2.75]
    assert grids["mesh"].points == [x, y, [3, 11]]
    same(grids["mesh"].fields["cell"], "Cell", values((1, 3, 4)))
    assert grids["z faces"].points == [[at + 0.25 for at in x[:-1]], [at + 0.125 for at in y[:-1]], [3, 11]]
    same(grids["z faces"].fields["face"], "Node", values((2, 3, 4)))


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
        "flat.xmf", "flat_000000.h5", "flat_000010.h5", "flat_000020.h5", "line.xmf", "line_000000.h5",
        "solid.xmf", "solid_000003.h5", "uniform.xmf", "uniform_000000.h5",
        *(f"wave_{step:06}.png" for step in range(12))]


def test_a_folder_that_isnt_there(build, tmp_path):
    done = subprocess.run([build / "tests/atoll_write_stencil", tmp_path / "none"], capture_output=True, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert f"{tmp_path}/none/flat_000000.h5" in done.stderr and "No such file" in done.stderr
