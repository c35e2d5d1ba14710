// What moves on the pages. Everything that comes from outside is put in as text, never as markup.
"use strict";
(() => {
  const mark = document.querySelector('meta[name="toolwright-mark"]')?.content ?? "";
  const said = document.getElementById("said");
  const say = (text) => { if (said) said.textContent = text; };

  const post = (path, body) => fetch(path, {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json", "x-toolwright-page": mark },
    body: JSON.stringify(body),
  });

  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
    for (const child of children) made.append(child);
    return made;
  };

  // Times in the time of the reader; the exact one stays in the attribute.
  for (const time of document.querySelectorAll("time[datetime]")) {
    const when = new Date(time.getAttribute("datetime"));
    if (!Number.isNaN(when.getTime())) {
      time.title = time.textContent;
      time.textContent = when.toLocaleString();
    }
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      say("copied");
      const label = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  }

  // Decisions about suggestions.
  for (const button of document.querySelectorAll("[data-decide]")) {
    button.addEventListener("click", async () => {
      button.disabled = true;
      const { suggestion, decide } = button.dataset;
      const answer = await post(`/api/suggestions/${encodeURIComponent(suggestion)}/${decide}`, {});
      if (answer.ok) return location.reload();
      const told = await answer.json().catch(() => ({}));
      button.disabled = false;
      say(told.error?.message ?? told.message ?? `it was refused (${answer.status})`);
      button.after(element("p", { class: "problem", role: "alert" }, said.textContent));
    });
  }

  for (const button of document.querySelectorAll("[data-restart]")) {
    button.addEventListener("click", async () => {
      button.disabled = true;
      say("restarting");
      const answer = await post("/do/restart", { server: button.dataset.restart });
      if (answer.ok) return location.reload();
      button.disabled = false;
      say(`it was refused (${answer.status})`);
    });
  }

  // What is asked for by forms and buttons: what comes of it is put where the page says.
  const put = async (name, fields, into) => {
    const answer = await post(`/do/${name}`, fields).catch(() => null);
    if (answer?.ok) {
      // Made by the gateway itself, with everything from outside escaped.
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      into.replaceChildren(...made.body.childNodes);
      return;
    }
    const told = await answer?.json().catch(() => ({}));
    into.replaceChildren(element("p", { class: "problem", role: "alert" },
      told?.message ?? told?.error?.message ?? (answer ? `it was refused (${answer.status})` : "the gateway does not answer")));
  };
  const fieldsOf = (form) => Object.fromEntries(new FormData(form));
  for (const form of document.querySelectorAll("form[data-do]")) {
    const into = document.getElementById(form.dataset.into);
    // An answer that comes after a newer question is not shown.
    let newest = 0;
    const attempt = async (name) => {
      const number = ++newest;
      const beside = element("div");
      await put(name, fieldsOf(form), beside);
      if (number === newest) into.replaceChildren(...beside.childNodes);
    };
    form.addEventListener("submit", (event) => { event.preventDefault(); attempt(form.dataset.do); });
    const whileTyping = form.dataset.check ?? ("live" in form.dataset ? form.dataset.do : null);
    if (whileTyping) form.addEventListener("input", () => attempt(whileTyping));
  }
  // The playground shows the schema of the tool that is chosen, which the gateway knows.
  const tool = document.getElementById("tool");
  if (tool?.form?.id === "try") {
    tool.addEventListener("change", () => {
      const query = new URLSearchParams({ tool: tool.value });
      const written = document.getElementById("arguments").value;
      if (written.length < 8000) query.set("arguments", written);
      location.assign(`/playground?${query}`);
    });
  }
  for (const button of document.querySelectorAll("button[data-do]")) {
    button.addEventListener("click", () => {
      const { do: name, form, into, ...fields } = button.dataset;
      put(name, form ? fieldsOf(document.getElementById(form)) : fields, document.getElementById(into));
    });
  }
  for (const button of document.querySelectorAll("button[data-fill]")) {
    button.addEventListener("click", () => {
      const field = document.getElementById(button.dataset.fill);
      field.value = button.dataset.text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.focus();
    });
  }

  // Light, dark, or as the system says.
  const theme = document.getElementById("theme");
  if (theme) {
    const themes = ["system", "light", "dark"];
    const show = (chosen) => { theme.textContent = `Theme: ${chosen}`; };
    let chosen = localStorage.getItem("toolwright-theme") ?? "system";
    if (!themes.includes(chosen)) chosen = "system";
    theme.hidden = false;
    show(chosen);
    theme.addEventListener("click", () => {
      chosen = themes[(themes.indexOf(chosen) + 1) % themes.length];
      if (chosen === "system") {
        localStorage.removeItem("toolwright-theme");
        delete document.documentElement.dataset.theme;
      } else {
        localStorage.setItem("toolwright-theme", chosen);
        document.documentElement.dataset.theme = chosen;
      }
      show(chosen);
    });
  }

  // What somebody should know: shown on every page, and by the system where the reader wants that.
  const board = document.getElementById("notices");
  if (board) {
    const wants = document.getElementById("notify");
    const seen = () => Number(sessionStorage.getItem("toolwright-notices") ?? 0);
    let told = null;
    const look = async () => {
      const answer = await fetch("/notices", { credentials: "same-origin" }).catch(() => null);
      if (!answer?.ok) return;
      const { notices } = await answer.json();
      const newest = notices.at(-1)?.number ?? 0;
      // After a restart the numbers begin anew.
      if (newest < seen()) sessionStorage.setItem("toolwright-notices", "0");
      const shown = notices.filter((notice) => notice.number > seen()).slice(-5).reverse();
      board.hidden = shown.length === 0;
      const close = element("button", { type: "button" }, "Seen");
      close.addEventListener("click", () => { sessionStorage.setItem("toolwright-notices", String(newest)); board.hidden = true; });
      board.replaceChildren(element("ul", {}, ...shown.map((notice) =>
        element("li", {}, element("a", { href: notice.page }, notice.text)))), close);
      if (told !== null && globalThis.Notification?.permission === "granted") {
        for (const notice of notices.filter((one) => one.number > told)) new Notification("Toolwright", { body: notice.text, tag: `toolwright-${notice.number}` });
      }
      told = newest;
    };
    look();
    setInterval(look, 5000);
    if (globalThis.Notification?.permission === "default") {
      wants.hidden = false;
      wants.addEventListener("click", async () => { await Notification.requestPermission(); wants.hidden = true; });
    }
  }

  // Calls as they end.
  const feed = document.getElementById("feed");
  if (feed) {
    const MOST = 200;
    const state = document.getElementById("live-state");
    const pause = document.getElementById("pause");
    const filter = document.getElementById("filter");
    const only = document.getElementById("only-mended");
    let waiting = [];
    let isPaused = false;
    let isDrawn = false;

    const fits = (call) => {
      const isOdd = call.status !== "ok" || (call.changes ?? []).length > 0;
      const words = filter.value.trim().toLowerCase();
      const text = `${call.tool} ${call.server ?? ""} ${call.client ?? ""} ${call.error ?? ""} ${JSON.stringify(call.args ?? {})}`;
      return (!only.checked || isOdd) && (!words || text.toLowerCase().includes(words));
    };
    const refusals = ["invalid_arguments", "unknown_tool", "ambiguous_tool", "refused", "denied"];
    const badge = (call) => {
      const isRefused = !call.error_is_from_tool && refusals.includes(call.error_code);
      const [kind, sign, word] = call.status === "error" ? (isRefused ? ["bad", "⊘", "refused"] : ["bad", "✕", "failed"])
        : (call.changes ?? []).length > 0 ? ["mended", "✎", "mended"]
        : call.status === "ok" ? ["good", "✓", "ok"] : ["info", "…", call.status];
      return element("span", { class: `badge ${kind}` }, `${sign} ${word}`);
    };
    const row = (call) => {
      const link = element("a", { href: `/calls/${encodeURIComponent(call.req_id)}` }, call.tool);
      const made = element("li", { class: "new" }, badge(call), " ", link, ` ${call.server ?? ""} ${call.client ?? ""} `,
        `${Number(call.duration_ms ?? 0).toFixed(1)} ms`);
      for (const change of (call.changes ?? []).slice(0, 10)) {
        made.append(element("div", { class: "change" },
          element("code", {}, change.path ?? ""), " ",
          element("del", {}, String(change.from ?? "")), " → ", element("ins", {}, String(change.to ?? "")),
          String(change.from) === String(change.to) ? " (another type)" : ""));
      }
      if (call.error) made.append(element("div", { class: "quiet" }, call.error));
      made.call = call;
      return made;
    };
    const draw = () => {
      isDrawn = false;
      if (isPaused) return;
      const rows = waiting.filter(fits).slice(-MOST).map(row).reverse();
      waiting = [];
      feed.prepend(...rows);
      while (feed.children.length > MOST) feed.lastElementChild.remove();
    };
    const soon = () => {
      if (!isDrawn) { isDrawn = true; requestAnimationFrame(draw); }
    };
    // The address holds what is looked for.
    const remember = () => {
      const query = new URLSearchParams();
      if (filter.value.trim()) query.set("q", filter.value.trim());
      if (only.checked) query.set("only", "mended");
      const text = query.toString();
      history.replaceState(null, "", text ? `/live?${text}` : "/live");
      for (const shown of [...feed.children]) shown.hidden = !fits(shown.call);
    };
    filter.addEventListener("input", remember);
    only.addEventListener("change", remember);
    state.textContent = "connecting…";
    const source = new EventSource("/api/operations/live");
    source.onopen = () => { state.textContent = "Calls appear here as they end."; };
    source.onerror = () => { state.textContent = "The connection is lost; trying again…"; };
    source.onmessage = (event) => {
      waiting.push(JSON.parse(event.data));
      if (waiting.length > 5 * MOST) waiting = waiting.slice(-MOST);
      soon();
    };
    pause.addEventListener("click", () => {
      isPaused = !isPaused;
      pause.setAttribute("aria-pressed", String(isPaused));
      pause.textContent = isPaused ? "Go on" : "Pause";
      soon();
    });
  }

  // Keys: g and a letter for pages, / to search, j and k through rows.
  let isGoing = false;
  let at = -1;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const rows = [...document.querySelectorAll("table.rows tbody tr")];
    if (isGoing) {
      isGoing = false;
      // Of several with one letter the one after the page that is open.
      const links = [...document.querySelectorAll("nav a")]
        .filter((link) => link.textContent.toLowerCase().startsWith(event.key.toLowerCase()));
      const open = links.findIndex((link) => link.hasAttribute("aria-current"));
      links[(open + 1) % links.length]?.click();
    } else if (event.key === "g") {
      isGoing = true;
    } else if (event.key === "/") {
      event.preventDefault();
      document.querySelector('input[type="search"]')?.focus();
    } else if ((event.key === "j" || event.key === "k") && rows.length > 0) {
      rows[at]?.classList.remove("chosen");
      at = Math.max(0, Math.min(rows.length - 1, at + (event.key === "j" ? 1 : -1)));
      rows[at].classList.add("chosen");
      rows[at].querySelector("a")?.focus();
    }
  });
})();
