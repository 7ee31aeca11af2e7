/** The consent prompts in the popup. What clients send is shown as text. @import {ConsentPrompt} from "../../shared/types.d.ts" */

import { byId, make, makeButton, refill } from "../dom.js";
import { phrase } from "../../shared/messages.js";
import { explanation, question, statedReason } from "../../shared/consent-text.js";

const list = byId("requests", HTMLElement);

/**
 * @param {ConsentPrompt[]} requests
 * @param {(id: string, allowed: boolean) => void} onAnswer
 */
export function showRequests(requests, onAnswer) {
  // A list that speaks is left alone while it says the same.
  const ids = requests.map(({ id }) => id).join();
  if (list.dataset.shown === ids) return;
  list.dataset.shown = ids;
  const items = requests.map((request) => ({ key: request.id, element: item(request, onAnswer) }));
  refill(list, items, byId("sentence", HTMLElement));
}

/**
 * @param {ConsentPrompt} request
 * @param {(id: string, allowed: boolean) => void} onAnswer
 */
function item(request, onAnswer) {
  const { id, kind, title, site, client, session } = request;
  const who = `${client}${session && ` (${session})`}`;
  const asked = question(request);
  const reason = statedReason(request);
  return make(
    "li",
    {},
    make("strong", {}, asked),
    make("p", { className: "title", dir: "auto" }, title),
    make("p", { className: "hint" }, kind === "attach" ? phrase("requestSays", site, who) : `${site} - ${who}`),
    ...(reason ? [make("p", { dir: "auto" }, reason)] : []),
    make("p", { dir: "auto" }, explanation(request)),
    make(
      "div",
      { className: "buttons" },
      makeButton(phrase("allow"), () => onAnswer(id, true), `${phrase("allow")}: ${asked}`),
      makeButton(phrase("deny"), () => onAnswer(id, false), `${phrase("deny")}: ${asked}`),
    ),
  );
}
