"""Checks announcements of entities with the schemas of the Home Assistant that this Python has.

Reads a JSON list of {"platform", "config"} and prints a JSON list of what is wrong: what a schema refuses, and each key that
it drops because it does not know it. Home Assistant itself drops such a key without a word.
"""

import asyncio
import importlib
import json
import sys
import tempfile

from homeassistant.components.mqtt import const
from homeassistant.components.mqtt.schemas import MQTT_ORIGIN_INFO_SCHEMA
from homeassistant.core import HomeAssistant
from homeassistant.helpers import frame

# Home Assistant before 2025.10 makes entity ids of the names.
NEWER = {"default_entity_id"} if not hasattr(const, "CONF_DEFAULT_ENTITY_ID") else set()


def schema_of(platform):
    if platform == "device_automation":
        module = importlib.import_module("homeassistant.components.mqtt.device_trigger")
        return module.TRIGGER_DISCOVERY_SCHEMA
    return importlib.import_module(f"homeassistant.components.mqtt.{platform}").DISCOVERY_SCHEMA


def faults(platform, announcement):
    # Home Assistant reads the origin of a device trigger before it knows its platform.
    config = {key: value for key, value in announcement.items() if key != "origin"}
    try:
        MQTT_ORIGIN_INFO_SCHEMA(announcement["origin"])
        known = schema_of(platform)(dict(config))
    except Exception as error:  # Its class depends on the version.
        return [f"{platform}: {error}"]
    return [f"{platform}: {key} is unknown" for key in sorted(set(config) - set(known) - NEWER)]


async def main():
    # Templates are compiled for an instance.
    with tempfile.TemporaryDirectory() as folder:
        frame.async_setup(HomeAssistant(folder))
        announced = json.load(sys.stdin)
        print(json.dumps([fault for one in announced for fault in faults(one["platform"], one["config"])]))


asyncio.run(main())
