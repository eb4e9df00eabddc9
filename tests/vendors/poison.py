"""What a single broken thing does to every answer that holds it."""

from tests.vendors.loopback import Fault, Reply

JSON = {"Content-Type": "application/json"}
PAGE = Reply(b"<html>Sign in</html>", 200, {"Content-Type": "text/html"})

#: By name; `bad_utf8` alone leaves something to be read.
KINDS = {
    "html": Fault("reply", reply=PAGE),
    "html that says it is data": Fault("reply", reply=Reply(PAGE.body, 200, JSON)),
    "500": Fault("reply", reply=Reply({"message": "secret of the body"}, 500)),
    "half": Fault("half"),
    "half of the data": Fault("half_json"),
    "a length that lies": Fault("too_long"),
    "another shape": Fault("reply", reply=Reply(["nothing"])),
    "nested 10,000 deep": Fault(
        "reply", reply=Reply(b"[" * 10_000 + b"]" * 10_000, 200, JSON)
    ),
}
