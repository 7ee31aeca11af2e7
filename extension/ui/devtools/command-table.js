/**
 * The commands that the panel offers: one row each, in the order in which they are shown. Names of commands and fields
 * are the protocol's.
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {"text" | "code" | "number" | "lines" | "json"} kind lines: one text, or a list with one text a line
 * @property {string} hint
 * @property {boolean} [required]
 * @property {boolean} [mayBeEmpty] an empty text is a value, too
 * @property {boolean} [isSecret] what is typed here may be a password: no history keeps it
 * @property {boolean} [isTab] names the tab that the command is about
 * @property {number} [min]
 * @property {number} [max]
 *
 * @typedef {object} CommandForm
 * @property {string} group
 * @property {string} about one sentence
 * @property {Field[]} fields
 * @property {boolean} [isPrivate] what it answers is the page's or of other tabs: no history keeps it
 */

/** @type {Field} */
const spot = {
  name: "at",
  kind: "json",
  hint: "[x, y], pixels from the element's top left corner; its middle when empty",
};
/** @type {Field} */
const selector = {
  name: "selector",
  kind: "text",
  hint: "CSS, text=what it says, or xpath=//button",
  required: true,
};

/** @type {Field} */
const someTab = {
  name: "tab_id",
  kind: "number",
  hint: "number of the tab, as browser_get_tabs shows it",
  required: true,
  isTab: true,
  min: 0,
};

/** @type {Field[]} */
const answers = [
  { name: "on_dialog", kind: "text", hint: "accept or dismiss: what becomes of confirm and prompt" },
  { name: "dialog_text", kind: "text", hint: "what a prompt is given, not kept in the history", isSecret: true },
];

/** @type {Record<string, CommandForm>} */
export const COMMANDS = {
  navigate: {
    group: "Go",
    about: "Go to an address and wait until its page has loaded.",
    fields: [
      { name: "url", kind: "text", hint: "http:// or https://", required: true },
      { name: "timeout", kind: "number", hint: "milliseconds, 30000 when empty", min: 1, max: 30_000 },
      ...answers,
    ],
  },
  back: { group: "Go", about: "Go back one page in the tab's history.", fields: [] },
  forward: { group: "Go", about: "Go forward one page in the tab's history.", fields: [] },

  page_elements: {
    group: "Look",
    about: "List what can be done on the page, with a selector for each element.",
    fields: [
      { name: "find", kind: "text", hint: "words in a name, value, role or text" },
      { ...selector, name: "within", hint: "only in this element: CSS, text=... or xpath=...", required: false },
      { name: "offset", kind: "number", hint: "next_offset of the list before", min: 0 },
    ],
  },
  screenshot: {
    group: "Look",
    about: "Take a picture of the viewport, of one element, or of a window of another size.",
    fields: [
      { ...selector, hint: "the viewport when empty", required: false },
      { name: "width", kind: "number", hint: "pixels, as it is when empty", min: 1, max: 4_000 },
      { name: "height", kind: "number", hint: "pixels, as it is when empty", min: 1, max: 4_000 },
    ],
  },
  read_tab: {
    group: "Look",
    about: "Read the page's text. The tab need not be attached.",
    fields: [
      { name: "start", kind: "text", hint: "keyword before the wanted text" },
      { name: "end", kind: "text", hint: "keyword after it" },
      {
        name: "content",
        kind: "text",
        hint: "main leaves menus and footers out, all does not, selection is what you have selected",
      },
      { name: "links", kind: "json", hint: "true names the addresses of links in the main content" },
    ],
  },
  getDataLayer: {
    group: "Look",
    about: "Read the page's data layer.",
    isPrivate: true,
    fields: [
      { name: "name", kind: "text", hint: "a global or a path such as digitalData.events, dataLayer when empty" },
      { name: "since", kind: "number", hint: "number of the first entry, the newest ones when empty", min: 0 },
      { name: "redact", kind: "json", hint: "false shows private values, where you allow it in this tab" },
    ],
  },
  console_logs: {
    group: "Look",
    about: "Read the newest console messages of the tab.",
    fields: [{ name: "max", kind: "number", hint: "how many, 100 when empty", min: 1, max: 1_000 }],
  },
  network_requests: {
    group: "Look",
    about: "List what the tab's pages asked servers for, or read one response.",
    isPrivate: true,
    fields: [
      { name: "filter", kind: "text", hint: "a type such as xhr, fetch or document, or a text in the address" },
      { name: "max", kind: "number", hint: "how many, 50 when empty", min: 1, max: 500 },
      { name: "body_of", kind: "text", hint: "id of one request, to read what was answered" },
    ],
  },

  click: {
    group: "Act",
    about: "Click an element.",
    fields: [
      selector,
      { name: "count", kind: "number", hint: "clicks in a row, 1 when empty", min: 1, max: 3 },
      { name: "button", kind: "text", hint: "left, right or middle" },
      spot,
      ...answers,
    ],
  },
  hover: { group: "Act", about: "Move the mouse over an element.", fields: [selector, spot] },
  fill: {
    group: "Act",
    about: "Put a text into a field, in place of what it holds.",
    fields: [
      selector,
      {
        name: "value",
        kind: "text",
        hint: "empties the field when empty, and is not kept in the history",
        mayBeEmpty: true,
        isSecret: true,
      },
    ],
  },
  press: {
    group: "Act",
    about: "Press keys.",
    fields: [
      {
        name: "keys",
        kind: "text",
        hint: 'names and chords; what is typed in quotes: Control+A "new" Enter. Not kept in the history',
        required: true,
        isSecret: true,
      },
      { ...selector, hint: "what has the focus when empty", required: false },
      ...answers,
    ],
  },
  drag: {
    group: "Act",
    about: "Drag an element.",
    fields: [
      { ...selector, name: "source" },
      { ...selector, name: "target", hint: "where to; empty to measure target_at from the source", required: false },
      { name: "source_at", kind: "json", hint: "[x, y], pixels from its top left corner; its middle when empty" },
      { name: "target_at", kind: "json", hint: "[x, y], the same in the target" },
    ],
  },
  scroll: {
    group: "Act",
    about: "Bring an element into view, or scroll it or the page.",
    fields: [
      { ...selector, hint: "the page when empty", required: false },
      {
        name: "to",
        kind: "json",
        hint: '"top", "bottom", "left", "right", or pixels to go down; the element when empty',
      },
    ],
  },
  wait_for: {
    group: "Look",
    about: "Wait until a text is shown, or no more, or an element is visible.",
    fields: [
      { name: "text", kind: "text", hint: "that is to be shown" },
      { name: "gone", kind: "text", hint: "that is to be shown no more" },
      { ...selector, hint: "of what is to be visible", required: false },
      { name: "timeout", kind: "number", hint: "milliseconds, 10000 when empty", min: 1, max: 25_000 },
    ],
  },
  fill_form: {
    group: "Act",
    about: "Write several fields, once all of them are known to take their values.",
    fields: [
      {
        name: "fields",
        kind: "json",
        hint: '[{"selector": "#name", "value": "Ada"}, ...], not kept in the history',
        required: true,
        isSecret: true,
      },
    ],
  },
  upload: {
    group: "Act",
    about: "Give files to a field, or to a button that asks for them.",
    fields: [
      selector,
      { name: "paths", kind: "json", hint: '["/home/ada/photo.jpg"], absolute paths', required: true },
    ],
  },
  select: {
    group: "Act",
    about: "Choose in a list, by value or label.",
    fields: [selector, { name: "value", kind: "lines", hint: "one a line", required: true }, ...answers],
  },
  evaluate: {
    group: "Act",
    about: "Run JavaScript in the page. It must be allowed in this tab: press the dot at the top right.",
    fields: [
      { name: "code", kind: "code", hint: "an expression or statements, Ctrl+Enter runs it", required: true },
      { name: "timeout", kind: "number", hint: "milliseconds, 25000 when empty", min: 1, max: 25_000 },
    ],
  },

  list_tabs: { group: "Tabs", about: "List the attached tabs.", isPrivate: true, fields: [] },
  browser_get_tabs: { group: "Tabs", about: "List all open tabs.", isPrivate: true, fields: [] },
  browser_create_tab: {
    group: "Tabs",
    about: "Open a tab and attach it.",
    fields: [
      { name: "url", kind: "text", hint: "http:// or https://", required: true },
      { name: "background", kind: "json", hint: "true opens it behind the others" },
    ],
  },
  browser_attach_tab: {
    group: "Tabs",
    about: "Ask for a tab as an agent does: the popup shows the request.",
    fields: [someTab, { name: "reason", kind: "text", hint: "what the tab is needed for", required: true }],
  },
  browser_close_tab: {
    group: "Tabs",
    about: "Close a tab.",
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
