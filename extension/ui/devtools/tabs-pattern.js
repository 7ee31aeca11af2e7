/** The row of views, following ARIA's tabs pattern: one Tab stop, arrow keys move between views. */

const tabs = [...document.querySelectorAll("[role=tab]")].filter((tab) => tab instanceof HTMLElement);

/** @param {string} id of the tab whose view to show; the view receives a `shown` event */
export function selectTab(id) {
  for (const tab of tabs) {
    const isSelected = tab.id === id;
    tab.ariaSelected = String(isSelected);
    tab.tabIndex = isSelected ? 0 : -1;
    const view = document.getElementById(tab.getAttribute("aria-controls") ?? "");
    if (view) view.hidden = !isSelected;
    if (isSelected) view?.dispatchEvent(new Event("shown"));
  }
}

/** @param {KeyboardEvent} event */
function move(event) {
  const now = tabs.findIndex((tab) => tab === document.activeElement);
  /** @type {Record<string, number>} */
  const targets = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: -1 };
  const target = targets[event.key];
  if (target === undefined || now < 0) return;
  event.preventDefault();
  const tab = tabs.at(target % tabs.length);
  if (!tab) return;
  selectTab(tab.id);
  tab.focus();
}

for (const tab of tabs) {
  tab.addEventListener("click", () => selectTab(tab.id));
  tab.addEventListener("keydown", move);
}
selectTab("tab-commands");
