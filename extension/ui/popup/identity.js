/**
 * The popup's line that names this browser profile, if there are several, with a button to rename it.
 *
 * @import {Status} from "../../shared/types.d.ts"
 */

import { identityOf } from "../../shared/status.js";
import { savePreferences } from "../../shared/storage.js";
import { byId, setText } from "../dom.js";

const form = byId("identity", HTMLFormElement);
const line = byId("identity-line", HTMLElement);
const rename = byId("rename", HTMLButtonElement);
const field = byId("browser-name", HTMLInputElement);

/** The name currently shown. */
let name = "";

/** @param {Status} status */
export function showIdentity(status) {
  name = status.name;
  const text = identityOf(status);
  form.hidden = !text;
  setText(line, text);
}

/** @param {boolean} isEditing */
function edit(isEditing) {
  field.hidden = !isEditing;
  line.hidden = rename.hidden = isEditing;
}

async function save() {
  if (field.hidden) return;
  edit(false);
  if (field.value.trim() !== name) await savePreferences({ browserName: field.value.trim() });
}

rename.addEventListener("click", () => {
  field.value = name;
  edit(true);
  field.select();
  field.focus();
});
field.addEventListener("blur", () => void save());
field.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  // Escape would close the popup.
  event.preventDefault();
  edit(false);
  rename.focus();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void save().then(() => rename.focus());
});
