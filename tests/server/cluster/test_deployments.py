"""The Serve configurations in `deploy/ray` are what the code takes."""

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.cluster.deployments import ClusterArguments, build


def applications(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(text)["applications"]
    return found


def manifests(root: Path) -> str:
    return (root / "deploy" / "ray" / "rayservice.yaml").read_text(encoding="utf-8")


def service(text: str) -> dict[str, Any]:
    return next(each for each in yaml.safe_load_all(text) if each["kind"] == "RayService")


def pods(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    cluster = manifest["spec"]["rayClusterConfig"]
    groups = (cluster["headGroupSpec"], *cluster["workerGroupSpecs"])
    return [group["template"]["spec"] for group in groups]


def test_each_pod_may_write_to_the_claimed_volume_as_the_image_s_user(root: Path) -> None:
    claim = next(each for each in yaml.safe_load_all(manifests(root)) if each["kind"] == "PersistentVolumeClaim")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    user = re.search(r"^USER (\d+):(\d+)$", (root / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert user
    for pod in pods(service(manifests(root))):
        claims = {each["name"]: each["persistentVolumeClaim"]["claimName"] for each in pod["volumes"]}
        assert set(claims.values()) == {claim["metadata"]["name"]}
        security = pod["securityContext"]
        assert (security["runAsUser"], security["runAsGroup"]) == (int(user[1]), int(user[2]))
        assert security["fsGroup"] == int(user[2])
        for container in pod["containers"]:
            environment = {each["name"]: each["value"] for each in container["env"]}
            place = next(each["mountPath"] for each in container["volumeMounts"] if each["name"] in claims)
            assert environment["OBSERVATORY_SHARED_DIR"].startswith(f"{place}/")
            assert environment["OBSERVATORY_ATLASES_DIR"].startswith(f"{place}/")


def test_the_number_of_workers_can_grow_to_hold_every_replica(root: Path) -> None:
    manifest = service(manifests(root))
    cluster = manifest["spec"]["rayClusterConfig"]
    assert cluster["enableInTreeAutoscaling"] is True
    ray = [each["value"] for each in cluster["autoscalerOptions"]["env"] if each["name"] == "PATH"]
    assert ray == [each["value"] for each in pods(manifest)[0]["containers"][0]["env"] if each["name"] == "PATH"]
    (arguments,) = (each["args"] for each in applications(manifest["spec"]["serveConfigV2"]))
    (workers,) = cluster["workerGroupSpecs"]
    assert workers["minReplicas"] <= workers["replicas"] < workers["maxReplicas"]
    limits = workers["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert workers["maxReplicas"] * int(limits["nvidia.com/gpu"]) >= arguments["max_replicas"] * arguments["gpus"]
    others = arguments["cpus"] + 0.5 * arguments["pages"]
    assert workers["maxReplicas"] * int(limits["cpu"]) >= arguments["max_replicas"] * arguments["cpus"] + others


@pytest.mark.full
def test_the_documented_command_takes_away_all_that_needs_a_graphics_card(root: Path) -> None:
    text = (root / "deploy" / "ray" / "README.md").read_text(encoding="utf-8")
    documented = re.search(r"^(sed .*) \| kubectl apply -f -$", text, flags=re.MULTILINE)
    assert documented
    said = subprocess.run(shlex.split(documented[1]), cwd=root, check=True, capture_output=True, text=True).stdout
    before, after = service(manifests(root)), service(said)
    assert "nvidia" in str(before)
    assert "nvidia" not in str(after)
    assert [each["args"]["gpus"] for each in applications(after["spec"]["serveConfigV2"])] == [0]
    assert after["spec"]["rayClusterConfig"]["rayVersion"] == before["spec"]["rayClusterConfig"]["rayVersion"]
    assert pods(after)[1]["containers"][0]["resources"]["limits"] == {"cpu": "8", "memory": "32Gi"}


def test_the_image_with_ray_has_what_kuberay_s_probes_call(root: Path) -> None:
    text = (root / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    with_ray = re.search(r'if \[ "\$RAY" = true \]; then (.*?); fi', text)
    assert with_ray
    assert re.search(r"apt-get install [^;&]*\bwget\b", with_ray[1])
    assert text.index("wget &&") < text.index("USER ")


def test_the_configurations_name_the_builder_and_arguments_it_has(root: Path) -> None:
    laptop = (root / "deploy" / "ray" / "laptop.yaml").read_text(encoding="utf-8")
    manifest = service(manifests(root))
    for application in (*applications(laptop), *applications(manifest["spec"]["serveConfigV2"])):
        assert application["import_path"] == f"{build.__module__}:{build.__name__}"
        ClusterArguments.model_validate(application["args"])
    version = next(
        line.partition("==")[2]
        for line in (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line.startswith("ray==")
    )
    assert manifest["spec"]["rayClusterConfig"]["rayVersion"] == version


def test_all_share_one_place_and_each_holds_its_own(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("OBSERVATORY_ATLASES_DIR", str(tmp_path / "atlases"))
    monkeypatch.setenv("OBSERVATORY_MAX_TOKENS", "77")
    pages = build(ClusterArguments(min_replicas=3, max_replicas=2, runs=5, max_runs=2))
    bound = [each._bound_deployment for each in pages._bound_deployment.init_args[:3]]
    analyses, runs, scans = (each.init_args[0] for each in bound)
    assert [each.name for each in bound] == ["Analyses", "Runs", "Scans"]
    for settings in (analyses, runs, scans):
        assert (settings["shared_dir"], settings["max_tokens"]) == (str(tmp_path / "shared"), 77)
    assert (analyses["scans"], analyses["training_runs"]) == (0, 0)
    assert (runs["scans"], runs["training_runs"], runs["preload"]) == (0, 4, False)
    assert scans["training_runs"] == 0
    assert "scans" not in scans
    most = [each._deployment_config.autoscaling_config.max_replicas for each in bound[:2]]
    assert most == [3, 5]
