"""A stranger's program with the client that openapi-python-client makes."""

import json
import sys

from generated_client import Client
from generated_client.api.analyses import get_analysis, get_weights, post_analysis
from generated_client.api.scoring import post_scoring
from generated_client.models import (
    AnalysisAnswer,
    ErrorResponse,
    GetWeightsEncoding,
    PostAnalysis,
    ScoringAnswer,
    ScoringRequest,
    WindowAnswer,
)

client = Client(base_url=sys.argv[1], timeout=60)  # type: ignore[arg-type]

body = ScoringRequest.from_dict(
    {"queries": [[1, 0]], "keys": [[1, 0], [0, 1]], "values": [[5], [7]], "mechanism": "dot"}
)
scored = post_scoring.sync(client=client, body=body)
assert isinstance(scored, ScoringAnswer), scored

analysis = post_analysis.sync(client=client, body=PostAnalysis(model="observatory-gpt2-mini", text="The cat sat."))
assert isinstance(analysis, AnalysisAnswer), analysis
window = get_weights.sync(analysis.id, client=client, layer=1, head=2, encoding=GetWeightsEncoding.JSON)
assert isinstance(window, WindowAnswer), window

refused = get_analysis.sync_detailed("nowhere", client=client)
assert isinstance(refused.parsed, ErrorResponse), refused

found = {"weights": scored.weights, "window": window.matrix, "code": refused.parsed.error.code}
sys.stdout.write(json.dumps({**found, "status": refused.status_code}))
