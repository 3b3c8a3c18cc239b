"""Build a benchmark from documents: pages → instructions → edits → OCR → review → package, in a workspace folder.

sources, pdf, language ─▶ pages ─▶ instruct (instructions/, answers) ─▶ edit (suite) ─▶ read (regions) ─▶
  review (automatic_review, decisions, paste_back) ─▶ package (package_contents, card, statistics)

`workspace` gives access to the files of all stages, `ledger` records the provenance, `funnel` the counts.
"""
