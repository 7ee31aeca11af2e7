/** Shows in `#problem` that a call of chrome.storage failed that nothing in the page was waiting for. */

import { StorageError } from "../shared/errors.js";
import { phrase } from "../shared/messages.js";
import { byId, setText } from "./dom.js";

addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof StorageError)) return;
  event.preventDefault();
  setText(byId("problem", HTMLElement), phrase("storageFailed", event.reason.reason));
});
