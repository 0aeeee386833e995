"""A file of settings that is empty."""

import json

with open("settings.json", "w+", encoding="utf-8") as file:
    json.load(file)
