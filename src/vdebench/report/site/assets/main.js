"use strict";
/* The report's tabs: the address says which view is drawn. */
(() => {
  const { h, load, read, link, problem, draw, start } = Vde, find = (id) => document.getElementById(id);
  const views = {};
  let board = null;

  /* Change the address: add an entry to the history, or replace the last one. */
  function go(parts, replace) {
    if (replace) { history.replaceState(null, "", link(parts)); drawView(); } else location.hash = link(parts);
  }
  function drawView() {
    const address = read(), main = find("main");
    const view = address.sample ? "sample" : views[address.tab] ? address.tab : "board";
    const protocol = board.protocols.find((one) => one.name === address.protocol) || board.protocols[0];
    find("protocol").value = protocol.name;
    for (const tab of ["board", "slices", "samples", "facts"]) {
      const entry = find("tab-" + tab), here = tab === (view === "sample" ? "samples" : view);
      entry.href = link({ tab, protocol: address.protocol });
      here ? entry.setAttribute("aria-current", "page") : entry.removeAttribute("aria-current");
    }
    draw(() => views[view]({ ...address, protocol: protocol.name }, protocol, board), (page) => {
      if (page !== main.firstChild) {
        const other = main.dataset.view !== view;
        main.dataset.view = view;
        main.replaceChildren(page);
        if (other) window.scrollTo(0, 0);
      }
      if (page.ready) page.ready();
    });
  }
  document.addEventListener("DOMContentLoaded", async () => {
    start();
    try { board = await load("board"); } catch (error) { find("main").replaceChildren(problem(error)); return; }
    document.title = `${board.suite} · vdebench report`;
    find("suite").textContent = `${board.suite} · ${board.samples} samples`;
    find("foot").textContent = `Written by vdebench ${board.version}. Means come from the summaries of the runs, samples from their tables.`;
    find("tab-facts").hidden = board.protocols.every((one) => one.facts === undefined);
    find("protocol").append(...board.protocols.map((one) => h("option", { value: one.name }, one.name)));
    find("protocol").addEventListener("change", () => go({ ...read(), protocol: find("protocol").value }));
    window.addEventListener("hashchange", drawView);
    drawView();
  });
  Object.assign(Vde, { views, go });
})();
