"""Prints the packages that the integrations of the tests need, for `pip install -r`.

Home Assistant would install them itself when it starts; the tests let it install nothing.
"""

import json
from importlib.resources import files

COMPONENTS = files("homeassistant") / "components"

# MQTT with its platforms and what it imports, the app for phones with the voice that it imports, automations, and what is part
# of every installation.
WANTED = (
    "mqtt hassio camera image mobile_app assist_pipeline automation analytics backup conversation frontend".split()
)

# Voice, which no test uses. The versions that Home Assistant wants need a compiler; their successors need none.
COMPILED = ("pymicro-vad", "pyspeex-noise")


def requirements(domain, seen):
    """Returns the requirements of an integration and of those that it depends on."""
    manifest = COMPONENTS / domain / "manifest.json"
    if domain in seen or not manifest.is_file():
        return set()
    seen.add(domain)
    content = json.loads(manifest.read_text("utf8"))
    found = set(content.get("requirements", []))
    return found.union(*(requirements(other, seen) for other in content.get("dependencies", [])))


known = set()
packages = set().union(*(requirements(domain, known) for domain in WANTED))
print("\n".join(sorted(one.replace("==", ">=") + ",<3" if one.startswith(COMPILED) else one for one in packages)))
