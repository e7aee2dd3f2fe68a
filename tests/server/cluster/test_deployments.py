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


def test_all_share_one_place_and_only_runs_have_a_state(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("OBSERVATORY_ATLASES_DIR", str(tmp_path / "atlases"))
    monkeypatch.setenv("OBSERVATORY_MAX_TOKENS", "77")
    pages = build(ClusterArguments(min_replicas=3, max_replicas=2))
    analyses, runs, _ = pages._bound_deployment.init_args
    settings, others = (each._bound_deployment.init_args[0] for each in (analyses, runs))
    assert settings["shared_dir"] == others["shared_dir"] == str(tmp_path / "shared")
    assert settings["max_tokens"] == others["max_tokens"] == 77
    assert (settings["scans"], settings["training_runs"]) == (0, 0)
    assert "scans" not in others
    assert analyses._bound_deployment._deployment_config.autoscaling_config.max_replicas == 3
