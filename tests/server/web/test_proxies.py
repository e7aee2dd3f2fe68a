"""Behind proxies a client is an address that a trusted one has written, whatever the client itself wrote."""

from typing import Any

import pytest
from starlette.responses import JSONResponse
from starlette.testclient import TestClient

from server.web.proxies import BehindProxies, Proxies, address_in

WRITTEN = "not an address <script>, 203.0.113.9"
"""What a client has put into the header, before the first proxy appends its address."""


async def who(scope: Any, receive: Any, send: Any) -> None:
    await JSONResponse([scope["client"][0], scope["scheme"]])(scope, receive, send)


def asked(proxies: Proxies, forwarded: str | None, peer: str = "10.0.0.1", proto: str = "https") -> list[str]:
    headers = {"X-Forwarded-Proto": proto} | ({} if forwarded is None else {"X-Forwarded-For": forwarded})
    found: list[str] = TestClient(BehindProxies(who, proxies), client=(peer, 5)).get("/", headers=headers).json()
    return found


@pytest.mark.parametrize("named", [["10.0.0.1"], ["10.0.0.0/8", "192.0.2.7"], ["*"]])
def test_what_the_client_wrote_itself_counts_nowhere(named: list[str]) -> None:
    proxies = Proxies(named)
    assert asked(proxies, f"{WRITTEN}, 198.51.100.4") == ["198.51.100.4", "https"]
    assert asked(proxies, "198.51.100.4") == ["198.51.100.4", "https"]
    assert asked(proxies, "2001:db8::7") == ["2001:db8::7", "https"]


@pytest.mark.parametrize("named", [["10.0.0.0/8"], ["*"]])
@pytest.mark.parametrize("forwarded", [None, "", "unknown", "198.51.100.4, _hidden", "x" * 9_000])
def test_what_is_no_address_is_nobody_and_the_request_the_proxy_s(named: list[str], forwarded: str | None) -> None:
    assert asked(Proxies(named), forwarded) == ["10.0.0.1", "https"]


def test_proxies_behind_proxies_are_passed_over_from_the_right() -> None:
    chain = f"{WRITTEN}, 198.51.100.4, 10.1.1.1, 10.2.2.2:4711"
    assert asked(Proxies(["10.0.0.0/8"]), chain)[0] == "198.51.100.4"
    assert asked(Proxies(["*"], hops=3), chain)[0] == "198.51.100.4"
    assert asked(Proxies(["*"]), chain)[0] == "10.2.2.2"
    assert asked(Proxies(["*"], hops=9), "198.51.100.4")[0] == "198.51.100.4", "fewer came in between"
    assert asked(Proxies(["10.0.0.0/8"]), "10.1.1.1, " * 5_000 + "10.2.2.2")[0] == "10.1.1.1", "asked from within"


def test_who_is_no_proxy_is_who_it_is() -> None:
    proxies = Proxies(["10.0.0.0/8"])
    assert asked(proxies, "198.51.100.4", peer="203.0.113.1") == ["203.0.113.1", "http"]
    assert asked(Proxies([]), "198.51.100.4") == ["10.0.0.1", "http"]
    assert not Proxies([])
    assert asked(proxies, "198.51.100.4", peer="::ffff:10.0.0.1")[0] == "198.51.100.4"


def test_a_scheme_is_one_of_two() -> None:
    assert asked(Proxies(["*"]), None, proto="javascript")[1] == "http"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", "192.0.2.1"), (" 192.0.2.1:80 ", "192.0.2.1"), ("[2001:db8::1]:80", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("", None), ("[", None), ("1.2.3", None),
        ("unknown", None), ("192.0.2.1/8", None),
    ],
)  # fmt: skip
def test_an_address_with_or_without_a_port(text: str, address: str | None) -> None:
    found = address_in(text)
    assert (None if found is None else str(found)) == address


@pytest.mark.parametrize("name", ["proxy.example", "10.0.0.0/99", "10.0.0.1,10.0.0.2", "**"])
def test_a_name_that_is_no_address_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="trusted proxies must be addresses"):
        Proxies([name])
