"""The graph of information flow in the Explorer: what is drawn is the API's answer cut by the threshold."""

import re
from typing import Any

import pytest
from driving import expect_address
from playwright.sync_api import Page, expect

DECODER = "observatory-gpt2-mini"
TEXT = "Mr Dursley was proud. The nephew of Mr D"
READY = ".flow-stage[aria-busy=false] .flow-list li"


def reached(flow: dict[str, Any], threshold: float) -> tuple[set[int], list[dict[str, Any]]]:
    """Found from the output downwards, edge by edge."""
    nodes, edges, waiting = {0}, [], [0]
    while waiting:
        target = waiting.pop()
        for edge in flow["edges"]:
            if edge["target"] == target and edge["importance"] >= threshold:
                edges.append(edge)
                if edge["source"] not in nodes:
                    nodes.add(edge["source"])
                    waiting.append(edge["source"])
    return nodes, edges


def expect_graph(page: Page, flow: dict[str, Any], threshold: float) -> list[dict[str, Any]]:
    nodes, edges = reached(flow, threshold)
    expect(page.locator(".flow-count")).to_have_text(f"{len(nodes)} nodes, {len(edges)} edges")
    expect(page.locator(".flow-nodes circle")).to_have_count(len(nodes))
    for kind in ("residual", "head", "feed_forward"):
        count = sum(edge["kind"] == kind for edge in edges)
        expect(page.locator(f".flow-edges .is-{kind.replace('_', '-')}")).to_have_count(count)
    return edges


@pytest.mark.gate
def test_edges_lead_to_their_heads_and_cells(page: Page) -> None:
    with page.expect_response(re.compile("information_flow")) as response:
        page.goto(f"/?model={DECODER}&text={TEXT}&view=flow&threshold=0.02")
    flow = response.value.json()
    page.wait_for_selector(READY)
    last = flow["position"]
    expect_graph(page, flow, 0.02)
    expect(page.locator(".flow-output-name")).to_have_text("·D₁₆")

    # Another threshold needs no other answer.
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.get_by_label("Threshold", exact=True).last.fill("0.01")
    page.get_by_label("Threshold", exact=True).last.press("Enter")
    edges = expect_graph(page, flow, 0.01)
    expect_address(page, threshold="0.01")
    assert not any("information_flow" in url for url in requests)

    # A node chosen in the graph lists its parts; biases and the rest make up the whole.
    node = next(edge["target"] for edge in edges if edge["kind"] == "head" and edge["layer"] == 1)
    parts = sorted((edge for edge in edges if edge["target"] == node), key=lambda edge: -edge["importance"])
    box = page.locator(".flow-nodes circle").nth(sorted(reached(flow, 0.01)[0]).index(node)).bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    position = flow["nodes"][node]["position"]
    expect_address(page, flow=f"3.{position}", output=str(last))
    shown = page.locator(".flow-list .reads-value")
    expect(shown).to_have_count(len(parts))
    texts = [float(text) for text in shown.all_text_contents()]
    assert all(abs(text - part["importance"]) < 0.0051 for text, part in zip(texts, parts, strict=True))

    # A head's part chooses that head and cell everywhere.
    at = next(index for index, part in enumerate(parts) if part["kind"] == "head")
    head, key = parts[at]["head"], flow["nodes"][parts[at]["source"]]["position"]
    page.locator(".flow-list button").nth(at).press("Enter")
    chosen = {"layer": "1", "head": str(head), "query": str(position), "key": str(key)}
    expect_address(page, **chosen, flow=f"3.{position}.h{head}.{key}")
    expect(page.locator(".flow-readout")).to_contain_text(f"L1 H{head}: ")
    expect(page.locator(".flow-readout")).to_contain_text("of this node")
    page.reload()
    expect(page.locator(".flow-list [aria-pressed=true]")).to_contain_text(f"L1 H{head}")
    page.get_by_role("button", name="Open in Matrix").click()
    expect_address(page, **chosen, view=None)
    page.go_back()
    page.wait_for_selector(READY)
    page.get_by_role("button", name="Follow down").click()
    expect_address(page, flow=f"2.{key}")
    expect(page.locator(".flow-title")).to_contain_text("after layer 0")
    page.get_by_role("button", name="To the output").click()
    expect_address(page, flow=None)

    page.locator("#panel-flow summary").click()
    expect(page.locator(".flow-table tbody tr")).to_have_count(len(edges))

    # Another output, from the row of outputs.
    page.locator(".flow-output").nth(4).click(force=True)
    expect(page.locator(".flow-output-name")).not_to_have_text("·D₁₆")
    expect(page.locator(".flow-stage")).to_have_attribute("aria-busy", "false")
    expect_address(page, output=page.locator("#flow-output").input_value())
