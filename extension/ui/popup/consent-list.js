/**
 * The consent prompts in the popup. Text from clients is displayed as text only.
 *
 * @import {ConsentPrompt} from "../../shared/types.d.ts"
 */

import { byId, make, makeButton, refill } from "../dom.js";
import { phrase } from "../../shared/messages.js";
import { ANSWER_TIMEOUT_MS, explanation, question, statedReason } from "../../shared/consent-text.js";

/** For a click that was meant for what the prompt has moved away. */
const ALLOW_DELAY_MS = 500;

const list = byId("requests", HTMLElement);

/**
 * @param {ConsentPrompt[]} requests
 * @param {(id: string, allowed: boolean) => void} onAnswer
 */
export function showRequests(requests, onAnswer) {
  // A live region is left alone while its content is the same.
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
  const { id, title, site } = request;
  const sentence = question(request);
  const reason = statedReason(request);
  return make(
    "li",
    {},
    make("strong", {}, sentence),
    make("p", { className: "title", dir: "auto" }, title, make("span", { className: "hint" }, site)),
    ...(reason ? [make("p", { className: "reason", dir: "auto" }, reason)] : []),
    make("p", { dir: "auto" }, explanation(request)),
    make("p", { className: "hint" }, phrase("requestEnds", ANSWER_TIMEOUT_MS / 1_000)),
    make(
      "div",
      { className: "buttons" },
      allowButton(sentence, () => onAnswer(id, true)),
      makeButton(phrase("deny"), () => onAnswer(id, false), `${phrase("deny")}: ${sentence}`),
    ),
  );
}

/**
 * @param {string} asked
 * @param {() => void} onAllow
 * @returns {HTMLButtonElement} which can have the focus from the start, but works only after `ALLOW_DELAY_MS`
 */
function allowButton(asked, onAllow) {
  const onClick = () => {
    if (button.ariaDisabled !== "true") onAllow();
  };
  const button = makeButton(phrase("allow"), onClick, `${phrase("allow")}: ${asked}`);
  button.className = "primary";
  button.ariaDisabled = "true";
  setTimeout(() => (button.ariaDisabled = "false"), ALLOW_DELAY_MS);
  return button;
}
