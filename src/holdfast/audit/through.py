"""The way of a job to its servers, through proxies: what the job is told of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from holdfast.adapters.proxy.proxy import Proxy
from holdfast.core.crash.wire.address import ServerAddress, address_in, with_address
from holdfast.core.running.ports import TrialTarget

VARIABLE = "HOLDFAST_PROXY"
_PLACE = "proxy"
_OPTION = "HOLDFAST_SINK_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How the copy of a declared job reaches its servers."""

    proxies: tuple[Proxy, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    """Of its sink: references to the environment, since a URL may hold a password."""
    environ: Mapping[str, str] = field(default_factory=dict)


def lead_through(target: TrialTarget, declared: Mapping[str, Any]) -> Way:
    """Put a proxy before each server that the target names and that can be listened to.

    Not before one that is reached by TLS from the first byte, or by no address at all: by a
    socket in the file system, say.
    """
    options = {**declared, **target.options}
    values = {
        name: str(options[name])
        for name in target.servers
        if not str(options[name]).startswith("https:") and address_in(str(options[name]))
    }
    servers = [
        ServerAddress.of(target.servers[name], address_in(value)) for name, value in values.items()
    ]
    proxies = open_proxies(servers)
    environ = {
        f"{_OPTION}{name.upper()}": with_address(value, proxy.address)
        for (name, value), proxy in zip(values.items(), proxies, strict=True)
    }
    led = {name: f"${{env:{_OPTION}{name.upper()}}}" for name in values}
    return Way(proxies=proxies, options=led, environ=environ)


def open_proxies(servers: Sequence[ServerAddress]) -> tuple[Proxy, ...]:
    """A port for each server; all are given back where one cannot be had."""
    opened: list[Proxy] = []
    try:
        for server in servers:
            opened.append(Proxy(server))
    except BaseException:
        for proxy in opened:
            proxy.close()
        raise
    return tuple(opened)


def filled(text: str, proxies: Sequence[Proxy]) -> str:
    """A text with `{proxy}` for the first one, and `{proxy:NAME}` for the one that is called so."""
    for proxy in proxies:
        text = text.replace(f"{{{_PLACE}:{proxy.protocol}}}", proxy.address)
    return text.replace(f"{{{_PLACE}}}", proxies[0].address) if proxies else text


def told(proxies: Sequence[Proxy]) -> Mapping[str, str]:
    """The same for programs that read their environment."""
    named = {f"{VARIABLE}_{proxy.protocol.upper()}": proxy.address for proxy in proxies}
    return {**named, VARIABLE: proxies[0].address} if proxies else {}
