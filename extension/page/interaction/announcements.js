"use strict";

// The messages of a page to users who arrive by an action on the previous page.

const announcements = (() => {
  const { NATIVE_FIELDS, attributeOf, hasIn, holds, isMatch, outermost, queryAll } = dom;
  const { collapse, drawnTextOf, visibleTextOf } = texts;
  const { INVALID } = faults;
  const { ALERTS, STATUSES, isSeen } = pageState;
  const { announced, faultLine, joined } = changeSummary;

  /** Maximum lengths of the texts: the first with room for everything counts. */
  const TEXT_LENGTHS = [180, 60, 30];
  const CLASSES = "message flash alert notice error success warning toast"
    .split(" ")
    .map((word) => `[class*=${word} i]`)
    .join(", ");
  /** Classes of messages; "success" counts only as a whole class, because of "success-stories". */
  const MESSAGE =
    /(?:^|[\s_-])(?:flash|alert|notice|toast|(?:error|message|warning)(?:s|list|note|text|box)?)(?:$|[\s_-])|(?:^|\s)success(?:$|\s)/iu;
  /** If there are more messages than this, they are part of the page, such as a conversation or its hints. */
  const MOST_MESSAGES = 3;
  /** Classes of messages that say how an action has ended. */
  const OUTCOME = /(?:^|[\s_-])(?:danger|error|success)(?:$|\s)/iu;
  const MESSAGE_LENGTH = 300;
  const PARTS = `${NATIVE_FIELDS}, table`;
  const WORDED = /[\p{L}\p{N}]/u;
  const OTHERS = "a, button, nav, nav *, label";

  /**
   * @param {Root[]} roots of the whole page
   * @param {string} before address of the previous page
   * @returns {string} in at most 200 characters: that it was loaded again, alerts, invalid fields, statuses, messages
   */
  function announcementsOf(roots, before) {
    const shown = (/** @type {string} */ selector) =>
      outermost(roots.flatMap((root) => queryAll(root, selector)).filter(isSpoken));
    const alerts = /** @type {Element[]} */ (shown(ALERTS));
    const isNew = (/** @type {Element} */ one) => !alerts.some((alert) => holds(alert, one) || holds(one, alert));
    const statuses = /** @type {Element[]} */ (shown(STATUSES)).filter(isNew);
    const isAgain = withoutFragment(before) === withoutFragment(location.href);
    const faulty = isAgain ? roots.flatMap((root) => queryAll(root, INVALID)).filter(isSeen) : [];
    const others = alerts.length || statuses.length || faulty.length ? [] : messagesIn(roots);
    const partsWith = (/** @type {number} */ length) => [
      ...(isAgain ? ["page loaded again"] : []),
      ...announced("alert", alerts, length),
      ...faulty.map((field) => faultLine(field, length)),
      ...announced("status", statuses, length),
      ...announced("message", others, length),
    ];
    return joined(TEXT_LENGTHS.map(partsWith));
  }

  /** @param {string} address */
  function withoutFragment(address) {
    return address.replace(/#.*/su, "");
  }

  /** @param {Element} element */
  function isSpoken(element) {
    return WORDED.test(drawnTextOf(element)) && isSeen(element);
  }

  /**
   * @param {Root[]} roots
   * @returns {Element[]} the few parts of the page that are messages by their classes
   */
  function messagesIn(roots) {
    const all = roots.flatMap((root) => queryAll(root, CLASSES)).filter(isMessage);
    const found = outermost(all);
    const isOutcome = (/** @type {Element} */ one) => OUTCOME.test(attributeOf(one, "class") ?? "");
    const outcomes = found.length > MOST_MESSAGES ? found.filter(isOutcome) : found;
    return outcomes.length <= MOST_MESSAGES ? outcomes : [];
  }

  /** @param {Element} element */
  function isMessage(element) {
    if (!MESSAGE.test(attributeOf(element, "class") ?? "") || isMatch(element, OTHERS) || hasIn(element, PARTS)) {
      return false;
    }
    const { length } = collapse(visibleTextOf(element));
    // An area that takes files, for example, is a control.
    return length <= MESSAGE_LENGTH && isSpoken(element) && getComputedStyle(element).cursor !== "pointer";
  }

  return { announcementsOf };
})();
