"""Azure storage accounts through adlfs, by the URLs that Spark users have.

`abfss://container@account.dfs.core.windows.net/path` names everything; in `abfs://container/path`
the account comes from the variables that adlfs knows.
"""

import logging
from typing import Any

from adlfs import AzureBlobFileSystem

from holdfast.adapters.storage.remote import RemoteStorage, open_kind
from holdfast.errors import UsageError

_PUBLIC_CLOUD = "core.windows.net"
_RETRIES = 1
_BACKOFF_SECONDS = 1
"""The library waits a minute and more for a store that does not answer; a person waits."""


def open_remote(location: str, url: str) -> RemoteStorage:
    """Open a folder by URL; credentials come from the variables that adlfs knows."""
    for library in ("adlfs", "azure"):
        # Without a handler of its own a library prints what it logs on standard error.
        logging.getLogger(library).addHandler(logging.NullHandler())
    options = _account(url)
    file_system, root = open_kind(AzureBlobFileSystem, location, url, options)
    client = file_system.service_client
    wanted, configured = options.get("account_name"), client.account_name
    if wanted is not None and configured != wanted:
        # A connection string outweighs the location: another account's container would be shown.
        raise UsageError(
            f"the location names the account {wanted}, the connection string {configured}",
            subject=location,
            next_action="set a connection string of that account, or none",
        )
    policy = getattr(client._config, "retry_policy", None)
    if policy is not None:
        policy.total_retries, policy.initial_backoff = _RETRIES, _BACKOFF_SECONDS
    return RemoteStorage(location, file_system, root)


def _account(url: str) -> dict[str, Any]:
    host = url.partition("://")[2].partition("/")[0].partition("@")[2]
    account, _, rest = host.partition(".")
    service, _, cloud = rest.partition(".")
    if not account or service not in ("dfs", "blob"):
        return {}
    if cloud == _PUBLIC_CLOUD:
        return {"account_name": account}
    # adlfs knows the account of the public cloud only, and speaks to the blob service.
    return {"account_name": account, "account_host": f"{account}.blob.{cloud}"}
