// The theme that the reader chose, before anything is drawn.
"use strict";
(() => {
  const chosen = localStorage.getItem("toolwright-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
