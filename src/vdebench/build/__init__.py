"""A benchmark from documents: pages → instructions → edits → readings → review → package, in a workspace folder.

    sources, pdf, language ─▶ pages ─▶ instruct (instructions/, answers) ─▶ edit (suite) ─▶ read (regions) ─▶
    review (automatic, decisions, paste) ─▶ package (packaged, card, statistics)

`workspace` knows where each stage finds what those before it left, `ledger` who did what, `funnel` how many.
"""
