// Filters rows by verdict and by words, keeps the filter in the address, and moves about by keys:
// `/` goes to the filter, `n` and `p` to the next and the previous row or page.
(() => {
  "use strict";
  const rows = [...document.querySelectorAll("tr[data-v]")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const tiles = [...document.querySelectorAll("a[data-verdict]")];
  const place = document.querySelector(".filter");
  const search = document.createElement("input");
  const told = document.createElement("p");

  const asked = () => new URLSearchParams(/[#&](verdict|q)=/.test(location.hash) ? location.hash.slice(1) : "");
  const address = (verdicts, words) => {
    const parts = [];
    if (verdicts.length) parts.push(`verdict=${verdicts.map(encodeURIComponent).join(",")}`);
    if (words) parts.push(`q=${encodeURIComponent(words)}`);
    return `#${parts.join("&")}`;
  };
  const chosen = () => (asked().get("verdict") || "").split(",").filter(Boolean);

  const show = () => {
    const verdicts = chosen();
    const query = asked().get("q") || "";
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, index) => {
      const fits = (!verdicts.length || row.dataset.v.split(" ").some((one) => verdicts.includes(one))) && words.every((word) => texts[index].includes(word));
      row.hidden = !fits;
      shown += fits;
    });
    for (const tile of tiles) {
      const verdict = tile.dataset.verdict;
      const on = verdicts.includes(verdict);
      tile.href = address(on ? verdicts.filter((one) => one !== verdict) : [...verdicts, verdict], query);
      on ? tile.setAttribute("aria-current", "true") : tile.removeAttribute("aria-current");
    }
    if (search.value.trim() !== query) search.value = query;
    told.textContent = shown === rows.length ? "" : `${shown} of ${rows.length} shown`;
    return verdicts.length || words.length;
  };

  const step = (forward) => {
    const page = document.querySelector(`a[rel=${forward ? "next" : "prev"}]`);
    if (page) return page.click();
    const links = rows.filter((row) => !row.hidden).map((row) => row.querySelector("a")).filter(Boolean);
    if (!links.length) return;
    const here = links.indexOf(document.activeElement);
    const next = here < 0 ? (forward ? 0 : links.length - 1) : here + (forward ? 1 : -1);
    const link = links[Math.max(0, Math.min(links.length - 1, next))];
    link.focus();
    link.scrollIntoView({ block: "center" });
  };

  if (place && rows.length) {
    search.type = "search";
    search.placeholder = "filter by words: /    next, previous: n, p";
    search.setAttribute("aria-label", "Filter by words");
    told.setAttribute("role", "status");
    search.addEventListener("input", () => {
      history.replaceState(null, "", address(chosen(), search.value.trim()));
      show();
    });
    place.append(search, told);
    addEventListener("hashchange", () => {
      if (show()) place.scrollIntoView();
    });
    if (show()) place.scrollIntoView();
  }
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && typing) return event.target.blur();
    if (typing) return;
    if (event.key === "/" && place) {
      event.preventDefault();
      search.focus();
    }
    if (event.key === "n" || event.key === "p") step(event.key === "n");
  });
})();
