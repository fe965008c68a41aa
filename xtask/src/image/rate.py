"""Rates outputs of the demo's study as ada, by the form without JavaScript, until the server ends. Prints a line for
each rating that the server has acknowledged."""

import http.client
import http.cookiejar
import re
import time
import urllib.error
import urllib.parse
import urllib.request

SERVER = "http://127.0.0.1:3000"
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def send(path, fields=None):
    """The address and the text of the page that the server answers with."""
    body = urllib.parse.urlencode(fields).encode() if fields else None
    request = urllib.request.Request(SERVER + path, body, {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"})
    with browser.open(request, timeout=30) as answer:
        return answer.url, answer.read().decode()


def first(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise SystemExit(f"no {pattern} in {text}")
    return found.group(1)


send("/log-in", {"name": "ada", "password": "demo-password-ada"})
study = first(r'href="(/grade/[^"/?]+)', send("/")[1])
page = send(study)[1]
try:
    while True:
        scores = {f"score-{number}": "1" for number in range(3)}
        form = first(r'action="(/grade/[^"/?]+)"', page)
        address, page = send(form, {**scores, "action": "submit"})
        if "error=" in address and "error=changed" not in address:
            raise SystemExit(f"the rating was refused: {address}")
        print("acknowledged", form, flush=True)
        # Not all of them before the server is stopped.
        time.sleep(0.05)
except (ConnectionError, TimeoutError, http.client.HTTPException, urllib.error.URLError):
    # The server has ended.
    pass
