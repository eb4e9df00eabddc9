import io

from console.benchmarks.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_log_gets_the_first_line_and_the_last():
    stream = io.StringIO()
    line = ProgressLine(stream, "Building")
    for done in range(1, 2001):
        line(done, 2000)
    assert stream.getvalue().splitlines() == [
        "Building: 1 of 2,000, 0 s",
        "Building: 2,000 of 2,000, 0 s",
    ]


def test_a_terminal_gets_a_bar_that_is_drawn_over_itself():
    stream = Terminal()
    line = ProgressLine(stream, "Asking")
    line(0, 10)
    line(10, 10)
    first, last = stream.getvalue().split("\r")[1:]
    assert first.startswith("[" + "." * 24 + "] Asking: 0 of 10")
    assert last.startswith("[" + "#" * 24 + "] Asking: 10 of 10")
    assert not first.endswith("\n")
    assert last.endswith("\n")


def test_nothing_to_do_is_no_error():
    stream = Terminal()
    ProgressLine(stream, "Asking")(0, 0)
    assert "0 of 0" in stream.getvalue()
