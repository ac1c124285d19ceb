"""Mesh files: what is read from each kind, and what broken and hostile ones do."""

import json
import os
import struct
from base64 import b64encode

import numpy as np
import pytest

import paraxis as px
from paraxis.scene.looks import MOST_TRIANGLES, Looks
from paraxis.scene.meshes.files import read_mesh
from paraxis.scene.meshes.mesh import Mesh
from paraxis.scene.meshes.simplify import simplified, welded
from paraxis.scene.meshes.stl import RECORD

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], float)
SQUARES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([(a, *pair) for a, b, c, d in SQUARES for pair in ((b, c), (c, d))])


def stl(corners=CORNERS, faces=FACES, count=None):
    head = b"solid in name only".ljust(80) + struct.pack(
        "<I", len(faces) if count is None else count
    )
    rows = np.zeros(len(faces), RECORD)
    rows["corners"] = corners[faces]
    return head + rows.tobytes()


def ascii_stl():
    lines = [f"vertex {x} {y} {z}" for x, y, z in CORNERS[FACES].reshape(-1, 3)]
    return "solid box\nfacet normal 0 0 0\nouter loop\n" + "\n".join(lines) + "\nendsolid"


def obj():
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    lines += ["mtllib box.mtl", "usemtl red"]
    lines += ["f " + " ".join(f"{i + 1}/1/1" for i in square) for square in SQUARES]
    return "\n".join(lines)


def collada(body="", unit=1.0):
    numbers = " ".join(f"{x:g}" for x in CORNERS.ravel())
    polygons = " ".join(f"{i} 0" for square in SQUARES for i in square)
    return f"""<?xml version="1.0"?>{body}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}"/></asset>
<library_effects><effect id="e"><profile_COMMON><technique><phong><diffuse>
<color>1 0 0 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="24">{numbers}</float_array><technique_common>
<accessor source="#a" count="8" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist count="6" material="red"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#s" offset="1"/><vcount>4 4 4 4 4 4</vcount><p>{polygons}</p>
</polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><translate>0 0 1</translate><node>
<scale>2 2 2</scale><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="red" target="#m"/></technique_common></bind_material>
</instance_geometry></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


def gltf(uri=None, nodes=None):
    data = CORNERS.astype("<f4").tobytes() + FACES.astype("<u2").tobytes()
    return {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": nodes
        or [{"children": [1], "translation": [0, 0, 1]}, {"mesh": 0, "scale": [2, 2, 2]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 96},
            {"buffer": 0, "byteOffset": 96, "byteLength": 72},
        ],
        "buffers": [{"byteLength": 168, "uri": uri or "data:;base64," + b64encode(data).decode()}],
    }


def glb():
    scene = gltf()
    binary = CORNERS.astype("<f4").tobytes() + FACES.astype("<u2").tobytes()
    del scene["buffers"][0]["uri"]
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


FILES = {
    "box.stl": stl,
    "text.STL": ascii_stl,
    "box.obj": obj,
    "box.dae": collada,
    "box.gltf": lambda: json.dumps(gltf()),
    "box.glb": glb,
}


def write(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("name", FILES)
def test_a_box_is_read(name, tmp_path):
    (tmp_path / "box.mtl").write_text("newmtl red\nKd 1 0 0\n")
    found = welded(*read_mesh(write(tmp_path / name, FILES[name]())))
    placed = name.endswith((".dae", ".gltf", ".glb"))  # twice as large, and 1 up
    expected = 2 * CORNERS + [0, 0, 1] if placed else CORNERS
    order = np.lexsort(found.vertices.T[::-1])
    assert np.allclose(found.vertices[order], expected, atol=1e-4)
    a, b, c = (found.vertices[found.faces[:, k]] for k in range(3))
    volume = np.vecdot(a, np.cross(b, c)).sum() / 6
    assert len(found.faces) == 12 and volume == pytest.approx(48 if placed else 6, rel=1e-3)
    assert found.colour == (None if "stl" in name.lower() else (1, 0, 0, 1))


BOMB = '<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
ITSELF = '<library_nodes><node id="n"><instance_node url="#n"/></node></library_nodes>'
BROKEN = {
    "empty.stl": (b"", "ends after"),
    "short.stl": (stl()[:-70], "ends after 10 of 12"),
    "count.stl": (stl(count=2**32 - 1), "ends after 12 of 4,294,967,295"),
    "nan.stl": (stl(CORNERS * np.nan), "not finite"),
    "none.stl": (stl(faces=FACES[:0]), "no triangles"),
    "words.stl": ("solid\nvertex a b c", "no number"),
    "index.obj": (obj() + "\nf 1 2 9", "vertex that there is not"),
    "zero.obj": (obj() + "\nf 0 1 2", "no index"),
    "two.obj": ("v 1 2\nf 1 1 1", "three numbers"),
    "bomb.dae": (collada(BOMB), "document type"),
    "text.dae": ("hello", "invalid at line 1"),
    "other.dae": ("<robot/>", "COLLADA"),
    "deep.dae": ("<COLLADA>" + "<node>" * 500, "nested too deeply"),
    "node.dae": (
        collada()
        .replace("<library_visual_scenes>", ITSELF + "<library_visual_scenes>")
        .replace("<scale>", '<instance_node url="#n"/><scale>'),
        "contain themselves",
    ),
    "matrix.dae": (collada().replace("<scale>2 2 2", "<scale>2 2"), "expected 3 numbers"),
    "unit.dae": (collada(unit="x"), "no number"),
    "json.gltf": ("{", "no valid glTF"),
    "list.gltf": ("[" * 100_000, "glTF|nested"),
    "node.gltf": (json.dumps(gltf(nodes=[{"children": [0]}])), "contain themselves"),
    "beyond.gltf": (json.dumps(gltf()).replace('"count": 36', '"count": 3600'), "beyond the end"),
    "draco.gltf": (json.dumps(gltf() | {"extensionsRequired": ["KHR_draco"]}), "KHR_draco"),
    "magic.glb": (glb()[:40], "no valid glTF"),
    "secret.txt": ("1 2 3", "expected a mesh file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mesh_says_why(name, tmp_path):
    content, words = BROKEN[name]
    with pytest.raises(px.RobotError, match=f"{name}.*({words})"):
        read_mesh(write(tmp_path / name, content))


def test_only_plain_files_of_the_folder_are_opened(tmp_path):
    inside = tmp_path / "meshes"
    inside.mkdir()
    data = CORNERS.astype("<f4").tobytes() + FACES.astype("<u2").tobytes()
    write(inside / "own.bin", data), write(tmp_path / "outer.bin", data)
    os.symlink(tmp_path / "outer.bin", inside / "link.bin")
    write(inside / "good.gltf", json.dumps(gltf("own.bin")))
    assert len(read_mesh(inside / "good.gltf")[0].faces) == 12
    for name in ("../outer.bin", str(tmp_path / "outer.bin"), "link.bin", "http://x/y.bin"):
        write(inside / "bad.gltf", json.dumps(gltf(name)))
        with pytest.raises(px.RobotError, match="buffer cannot be read"):
            read_mesh(inside / "bad.gltf")
    os.mkfifo(inside / "pipe.stl")  # which would wait for a writer
    for name in ("pipe.stl", "none.stl"):
        with pytest.raises(px.RobotError, match=name):
            read_mesh(inside / name)
    (inside / "folder.stl").mkdir()
    with pytest.raises(px.RobotError, match=r"folder\.stl"):
        read_mesh(inside / "folder.stl")


def test_huge_files_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "huge.stl"
    with open(path, "wb") as file:
        file.truncate(65 * 2**20)
    with pytest.raises(px.RobotError, match="more than 64 MB"):
        read_mesh(path)


def ball(n):
    """A sphere of about 2 n² triangles."""
    u, v = np.meshgrid(np.linspace(0, np.pi, n), np.linspace(0, 2 * np.pi, n), indexing="ij")
    points = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], -1).reshape(-1, 3)
    k = np.arange(n * n).reshape(n, n)
    a, b, c, d = k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]
    return Mesh(points, np.stack([a, b, c, a, c, d], -1).reshape(-1, 3))


def test_fewer_triangles_are_about_the_same_shape():
    whole = ball(200)
    for most in (10_000, 1_000, 100):
        found = simplified(whole, most)
        assert most / 6 < len(found.faces) <= most
        radius = np.linalg.norm(found.vertices, axis=1)
        assert abs(radius - 1).max() < 3 / np.sqrt(most)
        a, b, c = (found.vertices[found.faces[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        assert (np.vecdot(normal, a + b + c) > 0).mean() > 0.97  # they look outward


URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{}</link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
VISUAL = '<visual><geometry><mesh filename="{}" scale="1 -1 2"/></geometry></visual>'


def robot_with(tmp_path, *names):
    text = URDF.format("".join(VISUAL.format(name) for name in names))
    return px.load(write(tmp_path / "r.urdf", text))


def test_a_robot_without_its_meshes_is_shown_as_a_skeleton(tmp_path):
    write(tmp_path / "bad.stl", b"x")
    looks = Looks(robot_with(tmp_path, "bad.stl", "none.obj"))
    assert {part.look for part in looks.parts} == {"skeleton", "inertia"}
    assert (
        len(looks.notes) == 2 and "'bad.stl'" in looks.notes[0] and "no such file" in looks.notes[1]
    )


def test_meshes_are_shared_and_made_smaller(tmp_path):
    mesh = ball(400)
    write(tmp_path / "ball.stl", stl(mesh.vertices, mesh.faces))
    looks = Looks(robot_with(tmp_path, "ball.stl", "ball.stl"))
    assert len(looks.meshes) == 1 and len([p for p in looks.parts if p.look == "visual"]) == 2
    assert looks.meshes[0]["faces"]["shape"][0] <= MOST_TRIANGLES
    assert "triangles are drawn with" in looks.notes[0]
    assert looks.parts[0].scale == (1, -1, 2)


@pytest.mark.parametrize("name", FILES)
def test_spoiled_files_are_read_or_refused(name, tmp_path):
    content = FILES[name]()
    whole = np.frombuffer(content.encode() if isinstance(content, str) else content, np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(150):
        data = whole.copy()
        places = rng.integers(0, len(data), rng.integers(1, 6))
        data[places] = rng.integers(0, 256, len(places))
        data = data[: rng.integers(1, len(data) + 1)] if rng.random() < 0.3 else data
        write(tmp_path / name, data.tobytes())
        try:
            meshes = read_mesh(tmp_path / name)
        except px.RobotError:
            continue
        for mesh in map(welded, meshes):
            assert np.isfinite(mesh.vertices).all()
