"""Every prompt of ours, each with a version that changes with any of its words.

    extraction.py   a chunk -> memories (A3); memories -> an abstraction (A4)
    query.py        a question -> its canonical wording, expansions, or both (A6)
    answering.py    evidence -> verdict (ours), answer (A10), documents (A11)
    judging.py      an answer beside the expected one -> right or not (A15)

What people or documents wrote is given as JSON in the user's message and never put
into the text of a prompt. The wording is ours; the papers' is nowhere copied.
"""
