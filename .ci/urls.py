"""The project's links, for packages that a forge builds: it says where the sources are.

Elsewhere a package is without them: no address is known that is right for every copy.
"""

import os

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Urls(MetadataHookInterface):
    def update(self, metadata):
        server, repository = (os.environ.get(f"GITHUB_{x}") for x in ("SERVER_URL", "REPOSITORY"))
        source = f"{server}/{repository}" if server and repository else None
        metadata["urls"] = (
            source
            and {
                "Source": source,
                "Issues": f"{source}/issues",
                "Changelog": f"{source}/blob/main/CHANGELOG.md",
                "Documentation": f"{source}/tree/main/docs",
            }
        ) or {}
