"""The Serve configurations in `deploy/ray` are what the code takes."""

from pathlib import Path
from typing import Any

import yaml

from server.cluster.deployments import ClusterArguments, build


def applications(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(text)["applications"]
    return found


def test_the_configurations_name_the_builder_and_arguments_it_has(root: Path) -> None:
    laptop = (root / "deploy" / "ray" / "laptop.yaml").read_text(encoding="utf-8")
    manifest = yaml.safe_load((root / "deploy" / "ray" / "rayservice.yaml").read_text(encoding="utf-8"))
    for application in (*applications(laptop), *applications(manifest["spec"]["serveConfigV2"])):
        assert application["import_path"] == f"{build.__module__}:{build.__name__}"
        ClusterArguments.model_validate(application["args"])
    version = next(
        line.partition("==")[2]
        for line in (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line.startswith("ray==")
    )
    assert manifest["spec"]["rayClusterConfig"]["rayVersion"] == version
    containers = [
        container
        for group in (
            manifest["spec"]["rayClusterConfig"]["headGroupSpec"],
            *manifest["spec"]["rayClusterConfig"]["workerGroupSpecs"],
        )
        for container in group["template"]["spec"]["containers"]
    ]
    for container in containers:
        assert {each["name"] for each in container["env"]} >= {"OBSERVATORY_SHARED_DIR", "OBSERVATORY_ATLASES_DIR"}


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
