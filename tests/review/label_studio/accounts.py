"""What people do in Label Studio, over its REST API; the same for the real one and for the small one of the tests."""

from __future__ import annotations

from itertools import count

import httpx2

from vdebench.core.box import Size
from vdebench.review.label_studio.projects import ReviewProject
from vdebench.review.ratings import SCALES

ADMIN = "0123456789abcdef0123456789abcdef01234567"
_ids = count()


def rated(*scores, to="after"):
    return [
        {"from_name": scale, "to_name": to, "type": "rating", "value": {"rating": score}}
        for scale, score in zip(SCALES, scores, strict=True)
    ]


def chosen(answer, **texts):
    fields = [
        {"from_name": name, "to_name": "after", "type": "textarea", "value": {"text": [text]}}
        for name, text in texts.items()
    ]
    return [{"from_name": "verdict", "to_name": "after", "type": "choices", "value": {"choices": [answer]}}, *fields]


def drawn(boxes, wide_page, high_page, /, **changed):
    """Boxes of whole pixels as Label Studio sends them; `changed` replaces fields of the result or its value."""
    found = []
    for box in boxes:
        x, y, wide, high = box.to_percent(Size(wide_page, high_page))
        value = {"x": x, "y": y, "width": wide, "height": high, "rotation": 0, "rectanglelabels": ["changed"]}
        told = {
            "id": f"r{next(_ids)}",
            "from_name": "boxes",
            "to_name": "after",
            "type": "rectanglelabels",
            "original_width": wide_page,
            "original_height": high_page,
            "image_rotation": 0,
        }
        value |= {name: each for name, each in changed.items() if name in value}
        told |= {name: each for name, each in changed.items() if name not in value}
        found.append({**told, "value": value})
    return found


class Accounts:
    """People with their keys, at one server."""

    def __init__(self, url: str) -> None:
        self.url, self.keys, self.client = url, {"root": ADMIN}, httpx2.Client(verify=False, timeout=60)

    def ask(self, who, method, path, **content):
        headers = {"Authorization": f"Token {self.keys[who]}"}
        answer = self.client.request(method, f"{self.url}{path}", headers=headers, **content)
        assert answer.is_success, answer.text
        return answer.json()

    def id_of(self, email):
        return next(each["id"] for each in self.ask("root", "GET", "/api/users/") if each["email"].lower() == email)

    def projects(self):
        found = self.ask("root", "GET", "/api/projects/", params={"page_size": 100})["results"]
        return {each["title"]: each["id"] for each in found}

    def tasks(self, desk: ReviewProject, name="tiny"):
        """Ids of tasks by sample and round, and what they show."""
        project = self.projects()[desk.title(name)]
        told = self.ask("root", "GET", "/api/tasks/", params={"project": project, "page_size": 1000, "fields": "all"})
        return {(task["data"]["sample"], task["data"]["round"]): task for task in told["tasks"]}

    def say(self, who, task, result, **more):
        """Annotate a task; the annotation's id."""
        return self.ask(who, "POST", f"/api/tasks/{task['id']}/annotations/", json={"result": result, **more})["id"]

    def change(self, who, annotation, result):
        self.ask(who, "PATCH", f"/api/annotations/{annotation}/", json={"result": result})
