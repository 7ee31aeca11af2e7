/** The activity log, alike in the popup and the DevTools panel. @import {ActivityEntry} from "../shared/types.d.ts" */

import { phrase } from "../shared/messages.js";
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

/** Shows the log, now and whenever it grows. */
export function startActivityView() {
  const show = async () => {
    entries = await loadActivity();
    page.list.replaceChildren(...entries.map(item));
    page.empty.hidden = entries.length > 0;
    page.exportButton.disabled = page.clear.disabled = !entries.length;
  };
  onActivityChanged(() => void show());
  page.clear.addEventListener("click", () => void clearActivity());
  page.exportButton.addEventListener("click", download);
  void show();
}

/** @param {ActivityEntry} entry */
function item({ time, session, client, tab_id: tabId, site, command, code, milliseconds }) {
  const line = make("li", {}, make("strong", {}, command), make("span", { className: "state" }));
  line.dataset.state = code ? "failed" : "ok";
  setText(/** @type {Element} */ (line.lastChild), `${code || "ok"} ${duration(milliseconds)}`);
  const who = client || phrase(session ? "activityClient" : "activityYou");
  const where = tabId === null ? "" : `, ${phrase("activityTab", tabId)}${site && ` ${site}`}`;
  const said = `${new Date(time).toLocaleTimeString()}  ${who}${session && ` (${session})`}${where}`;
  line.append(make("span", { className: "hint" }, said));
  return line;
}

function download() {
  const file = new Blob([JSON.stringify(entries, null, 2)], { type: "application/json" });
  const href = URL.createObjectURL(file);
  make("a", { href, download: "chrome-tab-reader-activity.json" }).click();
  URL.revokeObjectURL(href);
}
