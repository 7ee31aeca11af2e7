/**
 * The commands that the panel offers: one row each, in the order in which they are shown. Names of commands and fields
 * are the protocol's; texts are asked for where they are shown, because the test app asks this table where there are none.
 *
 * @import {MessageKey} from "../../shared/messages.js"
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {"text" | "code" | "number" | "lines" | "json"} kind lines: one text, or a list with one text a line
 * @property {MessageKey} hint
 * @property {number} [usual] what counts when it is empty
 * @property {boolean} [required]
 * @property {boolean} [mayBeEmpty] an empty text is a value, too
 * @property {boolean} [isSecret] what is typed here may be a password: no history keeps it
 * @property {boolean} [isTab] names the tab that the command is about
 * @property {number} [min]
 * @property {number} [max]
 *
 * @typedef {object} CommandForm
 * @property {MessageKey} group
 * @property {MessageKey} about one sentence
 * @property {Field[]} fields
 * @property {boolean} [isPrivate] what it answers is the page's or of other tabs: no history keeps it
 */

/** @type {Field} */
const spot = {
  name: "at",
  kind: "json",
  hint: "hintSpot",
};
/** @type {Field} */
const selector = {
  name: "selector",
  kind: "text",
  hint: "hintSelector",
  required: true,
};

/** @type {Field} */
const someTab = {
  name: "tab_id",
  kind: "number",
  hint: "hintTabId",
  required: true,
  isTab: true,
  min: 0,
};

/** @type {Field[]} */
const answers = [
  { name: "on_dialog", kind: "text", hint: "hintOnDialog" },
  { name: "dialog_text", kind: "text", hint: "hintDialogText", isSecret: true },
];

/** @type {Record<string, CommandForm>} */
export const COMMANDS = {
  navigate: {
    group: "groupGo",
    about: "aboutNavigate",
    fields: [
      { name: "url", kind: "text", hint: "hintUrl", required: true },
      { name: "timeout", kind: "number", hint: "hintTimeout", usual: 30_000, min: 1, max: 30_000 },
      ...answers,
    ],
  },
  back: { group: "groupGo", about: "aboutBack", fields: [] },
  forward: { group: "groupGo", about: "aboutForward", fields: [] },

  page_elements: {
    group: "groupLook",
    about: "aboutElements",
    fields: [
      { name: "find", kind: "text", hint: "hintFind" },
      { ...selector, name: "within", hint: "hintWithin", required: false },
      { name: "offset", kind: "number", hint: "hintOffset", min: 0 },
    ],
  },
  screenshot: {
    group: "groupLook",
    about: "aboutScreenshot",
    fields: [
      { ...selector, hint: "hintViewport", required: false },
      { name: "width", kind: "number", hint: "hintSide", min: 1, max: 4_000 },
      { name: "height", kind: "number", hint: "hintSide", min: 1, max: 4_000 },
    ],
  },
  read_tab: {
    group: "groupLook",
    about: "aboutRead",
    fields: [
      { name: "start", kind: "text", hint: "hintStart" },
      { name: "end", kind: "text", hint: "hintEnd" },
      { name: "content", kind: "text", hint: "hintContent" },
      { name: "links", kind: "json", hint: "hintLinks" },
    ],
  },
  getDataLayer: {
    group: "groupLook",
    about: "aboutDataLayer",
    isPrivate: true,
    fields: [
      { name: "name", kind: "text", hint: "hintLayerName" },
      { name: "since", kind: "number", hint: "hintSince", min: 0 },
      { name: "redact", kind: "json", hint: "hintRedact" },
    ],
  },
  console_logs: {
    group: "groupLook",
    about: "aboutConsole",
    fields: [{ name: "max", kind: "number", hint: "hintMax", usual: 100, min: 1, max: 1_000 }],
  },
  network_requests: {
    group: "groupLook",
    about: "aboutNetwork",
    isPrivate: true,
    fields: [
      { name: "filter", kind: "text", hint: "hintFilter" },
      { name: "max", kind: "number", hint: "hintMax", usual: 50, min: 1, max: 500 },
      { name: "body_of", kind: "text", hint: "hintBodyOf" },
    ],
  },

  click: {
    group: "groupAct",
    about: "aboutClick",
    fields: [
      selector,
      { name: "count", kind: "number", hint: "hintCount", min: 1, max: 3 },
      { name: "button", kind: "text", hint: "hintButton" },
      spot,
      ...answers,
    ],
  },
  hover: { group: "groupAct", about: "aboutHover", fields: [selector, spot] },
  fill: {
    group: "groupAct",
    about: "aboutFill",
    fields: [
      selector,
      {
        name: "value",
        kind: "text",
        hint: "hintFill",
        mayBeEmpty: true,
        isSecret: true,
      },
    ],
  },
  press: {
    group: "groupAct",
    about: "aboutPress",
    fields: [
      {
        name: "keys",
        kind: "text",
        hint: "hintKeys",
        required: true,
        isSecret: true,
      },
      { ...selector, hint: "hintFocused", required: false },
      ...answers,
    ],
  },
  drag: {
    group: "groupAct",
    about: "aboutDrag",
    fields: [
      { ...selector, name: "source" },
      { ...selector, name: "target", hint: "hintTarget", required: false },
      { name: "source_at", kind: "json", hint: "hintSpot" },
      { name: "target_at", kind: "json", hint: "hintTargetAt" },
    ],
  },
  scroll: {
    group: "groupAct",
    about: "aboutScroll",
    fields: [
      { ...selector, hint: "hintScrollWhat", required: false },
      {
        name: "to",
        kind: "json",
        hint: "hintScrollTo",
      },
    ],
  },
  wait_for: {
    group: "groupLook",
    about: "aboutWait",
    fields: [
      { name: "text", kind: "text", hint: "hintText" },
      { name: "gone", kind: "text", hint: "hintGone" },
      { ...selector, hint: "hintVisible", required: false },
      { name: "timeout", kind: "number", hint: "hintTimeout", usual: 10_000, min: 1, max: 25_000 },
    ],
  },
  fill_form: {
    group: "groupAct",
    about: "aboutForm",
    fields: [
      {
        name: "fields",
        kind: "json",
        hint: "hintFields",
        required: true,
        isSecret: true,
      },
    ],
  },
  upload: {
    group: "groupAct",
    about: "aboutUpload",
    fields: [selector, { name: "paths", kind: "json", hint: "hintPaths", required: true }],
  },
  select: {
    group: "groupAct",
    about: "aboutSelect",
    fields: [selector, { name: "value", kind: "lines", hint: "hintLines", required: true }, ...answers],
  },
  evaluate: {
    group: "groupAct",
    about: "aboutEvaluate",
    fields: [
      { name: "code", kind: "code", hint: "hintCode", required: true },
      { name: "timeout", kind: "number", hint: "hintTimeout", usual: 25_000, min: 1, max: 25_000 },
    ],
  },

  list_tabs: { group: "groupTabs", about: "aboutListTabs", isPrivate: true, fields: [] },
  browser_get_tabs: { group: "groupTabs", about: "aboutGetTabs", isPrivate: true, fields: [] },
  browser_create_tab: {
    group: "groupTabs",
    about: "aboutCreateTab",
    fields: [
      { name: "url", kind: "text", hint: "hintUrl", required: true },
      { name: "background", kind: "json", hint: "hintBackground" },
    ],
  },
  browser_attach_tab: {
    group: "groupTabs",
    about: "aboutAttachTab",
    fields: [someTab, { name: "reason", kind: "text", hint: "hintReason", required: true }],
  },
  browser_close_tab: {
    group: "groupTabs",
    about: "aboutCloseTab",
    fields: [someTab],
  },
};

/**
 * @param {string} command
 * @param {Record<string, unknown>} params
 * @returns {string[]} names of the parameters that no history keeps
 */
export function secretsIn(command, params) {
  const secret = (COMMANDS[command]?.fields ?? []).filter(({ isSecret }) => isSecret);
  return secret.map(({ name }) => name).filter((name) => Object.hasOwn(params, name));
}

/**
 * @param {string} command
 * @param {Record<string, unknown>} params
 * @returns {boolean} false for a reply that repeats what was typed, or holds what is private
 */
export function isReplyKept(command, params) {
  return !secretsIn(command, params).length && !COMMANDS[command]?.isPrivate;
}

/**
 * @param {Record<string, unknown>} params
 * @param {string[]} names
 */
export function without(params, names) {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));
}
