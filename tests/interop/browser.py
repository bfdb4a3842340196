"""A browser without a window: Chromium, spoken to through ChromeDriver (W3C WebDriver)."""
import base64
import json
import os
import re
import subprocess
import tempfile
import urllib.request

KEYS = {"up": "\ue013", "down": "\ue015", "left": "\ue012", "right": "\ue014", "enter": "\ue007",
        "escape": "\ue00c", "tab": "\ue004", "backspace": "\ue003", "home": "\ue011"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self):
        self.log = tempfile.TemporaryFile()
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=self.log, text=True)
        for line in self.driver.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                break
        self.base = "http://127.0.0.1:%s/session" % port.group(1)
        # A pipe, since a port needs a name for the loopback interface, which bare systems lack.
        options = {"args": ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                            "--remote-debugging-pipe",
                            "--window-size=1200,800"]}
        self.base += "/" + self.call("", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options}}})["sessionId"]

    def call(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data,
                                         method=method or ("POST" if data else "GET"))
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return json.load(answer)["value"]

    def js(self, script, *args):
        return self.call("/execute/sync", {"script": script, "args": list(args)})

    def go(self, url):
        self.call("/url", {"url": "about:blank"})
        self.call("/url", {"url": url})

    def open(self, path, fragment=""):
        self.go("file://" + os.path.abspath(path) + fragment)

    def keys(self, *names):
        actions = []
        for name in names:
            key = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def move(self, x, y):
        self.call("/actions", {"actions": [{"type": "pointer", "id": "m", "actions": [
            {"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}]}]})

    def click(self, x, y):
        self.call("/actions", {"actions": [{"type": "pointer", "id": "m", "actions": [
            {"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})

    def media(self, **features):
        self.call("/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "media": features.pop("media", ""),
            "features": [{"name": n.replace("_", "-"), "value": v} for n, v in features.items()]}})

    def picture(self, folder, name):
        if folder:
            with open(os.path.join(folder, name), "wb") as f:
                f.write(base64.b64decode(self.call("/screenshot")))

    def paper(self, folder, name):
        data = base64.b64decode(self.call("/print", {"background": True, "page":
                                                     {"width": 29.7, "height": 21}}))
        if folder:
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
        return data

    def close(self):
        try:
            self.call("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()
