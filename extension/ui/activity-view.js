/** The activity log, shared by the popup and the DevTools panel. @import {ActivityEntry} from "../shared/types.d.ts" */

import { language, phrase } from "../shared/messages.js";
import { clientName } from "../shared/status.js";
import { clearActivity, loadActivity, onActivityChanged } from "../shared/storage.js";
import { byId, duration, make, setText } from "./dom.js";

const page = {
  list: byId("activity", HTMLElement),
  empty: byId("activity-empty", HTMLElement),
  exportButton: byId("activity-export", HTMLButtonElement),
  clear: byId("activity-clear", HTMLButtonElement),
};

/** @type {ActivityEntry[]} */
let entries = [];

/** Shows the log, now and whenever it changes. */
export function startActivityView() {
  const show = async () => {
    entries = await loadActivity();
    page.list.replaceChildren(...repeats(entries).map(item));
    page.empty.hidden = entries.length > 0;
    page.exportButton.disabled = page.clear.disabled = !entries.length;
  };
  onActivityChanged(() => void show());
  page.clear.addEventListener("click", () => void clearActivity());
  page.exportButton.addEventListener("click", download);
  void show();
}

/**
 * @param {ActivityEntry[]} log newest first
 * @returns {ActivityEntry[][]} groups of consecutive entries that differ only in their time
 */
function repeats(log) {
  /** @type {ActivityEntry[][]} */
  const groups = [];
  for (const entry of log) {
    const group = groups.at(-1);
    if (group?.[0] && subjectOf(group[0]) === subjectOf(entry)) group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** @param {ActivityEntry} entry */
function subjectOf({ session, client, tab_id: tabId, site, command, code }) {
  return JSON.stringify([session, client, tabId, site, command, code]);
}

/** @param {ActivityEntry[]} group from `repeats` */
function item(group) {
  const [newest] = group;
  if (!newest) throw new TypeError("An empty group.");
  const { time, session, client, site, command, code, milliseconds } = newest;
  const who = client ? clientName(client) : phrase(session ? "activityClient" : "activityYou");
  const times = group.length > 1 ? ` ×${group.length}` : "";
  const line = make("li", {}, make("strong", {}, who), make("span", { className: "state" }));
  line.dataset.state = code ? "failed" : "ok";
  setText(/** @type {Element} */ (line.lastChild), `${code || "ok"} · ${duration(milliseconds)}`);
  const parts = [command + times, site, new Date(time).toLocaleTimeString(language(), { timeStyle: "medium" })];
  line.append(make("span", { className: "hint" }, parts.filter(Boolean).join(" · ")));
  return line;
}

function download() {
  const file = new Blob([JSON.stringify(entries, null, 2)], { type: "application/json" });
  const href = URL.createObjectURL(file);
  make("a", { href, download: "chrome-tab-reader-activity.json" }).click();
  URL.revokeObjectURL(href);
}
