/**
 * Keys by name, of a US keyboard, as pages see them (UI Events).
 *
 * @typedef {object} Key as Input.dispatchKeyEvent expects it
 * @property {string} key
 * @property {string} code
 * @property {number} windowsVirtualKeyCode
 * @property {number} [location]
 * @property {string} [text] the text it types
 *
 * @typedef {object} Stroke one key, and the modifiers held down with it
 * @property {Key} key
 * @property {ModifierName[]} held
 * @property {boolean} isShifted whether Shift is also held
 * @property {string} [command] a command of the browser's editor
 *
 * @typedef {keyof typeof MODIFIERS} ModifierName
 */

import { invalid } from "../shared/errors.js";

const LEFT = 1;

/** Each modifier with its bit in events. */
export const MODIFIERS = {
  Alt: { bit: 1, key: { key: "Alt", code: "AltLeft", windowsVirtualKeyCode: 18, location: LEFT } },
  Control: { bit: 2, key: { key: "Control", code: "ControlLeft", windowsVirtualKeyCode: 17, location: LEFT } },
  Meta: { bit: 4, key: { key: "Meta", code: "MetaLeft", windowsVirtualKeyCode: 91, location: LEFT } },
  Shift: { bit: 8, key: { key: "Shift", code: "ShiftLeft", windowsVirtualKeyCode: 16, location: LEFT } },
};
const MODIFIER_NAMES = /** @type {ModifierName[]} */ (Object.keys(MODIFIERS));

const ENTER = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" };
const SPACE = { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " };
const TAB = silent(["Tab", 9]);
/** Keys that type nothing, with their key codes. @type {[string, number][]} */
const SILENT = [
  ["ArrowLeft", 37],
  ["ArrowUp", 38],
  ["ArrowRight", 39],
  ["ArrowDown", 40],
  ["Backspace", 8],
  ["CapsLock", 20],
  ["ContextMenu", 93],
  ["Delete", 46],
  ["End", 35],
  ["Escape", 27],
  ["Home", 36],
  ["Insert", 45],
  ["PageDown", 34],
  ["PageUp", 33],
];
/** @type {Record<string, Key>} */
const NAMED = {
  ...Object.fromEntries(SILENT.map((each) => [each[0], silent(each)])),
  ...Object.fromEntries(MODIFIER_NAMES.map((name) => [name, MODIFIERS[name].key])),
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, silent([`F${index + 1}`, 112 + index])]),
  ),
  Enter: ENTER,
  Space: SPACE,
  Tab: TAB,
};

/** Aliases in lower case, as users and other programs write them. */
const OTHER_NAMES = new Map([
  ["ctrl", "Control"],
  ["cmd", "Meta"],
  ["command", "Meta"],
  ["option", "Alt"],
  ["esc", "Escape"],
  ["return", "Enter"],
  ["del", "Delete"],
  ["up", "ArrowUp"],
  ["down", "ArrowDown"],
  ["left", "ArrowLeft"],
  ["right", "ArrowRight"],
]);

/** Code, key code, and the text without and with Shift. @type {[string, number, string, string][]} */
const WRITING = [
  ...[..."abcdefghijklmnopqrstuvwxyz"].map(letterKey),
  ...[...")!@#$%^&*("].map(digitKey),
  ["Backquote", 192, "`", "~"],
  ["Minus", 189, "-", "_"],
  ["Equal", 187, "=", "+"],
  ["BracketLeft", 219, "[", "{"],
  ["BracketRight", 221, "]", "}"],
  ["Backslash", 220, "\\", "|"],
  ["Semicolon", 186, ";", ":"],
  ["Quote", 222, "'", '"'],
  ["Comma", 188, ",", "<"],
  ["Period", 190, ".", ">"],
  ["Slash", 191, "/", "?"],
];

/** Editing commands that macOS handles in its menus, which the debugger's keys do not reach. */
const MAC_COMMANDS = new Map([
  ["a", "selectAll"],
  ["c", "copy"],
  ["v", "paste"],
  ["x", "cut"],
  ["z", "undo"],
  ["Z", "redo"],
]);

/** What the browser does with keys that a page does not handle; Control stands also for the Command key of a Mac. */
const BROWSER_KEYS = new Set([
  ..."0123456789defghjklnoprstuw+-=".split("").map((key) => `Control+${key}`),
  ...["Tab", "PageUp", "PageDown", "F4"].map((key) => `Control+${key}`),
  ...["ArrowLeft", "ArrowRight", "Home", "F4"].map((key) => `Alt+${key}`),
  ...["F1", "F3", "F5", "F6", "F11", "F12"],
]);

/** A chord may have spaces around the plus signs after its modifiers: `Control + A`. */
const PART =
  /"([^"]*)"|'([^']*)'|((?:(?:Alt|Option|Control|Ctrl|ControlOrMeta|Meta|Command|Cmd|Shift)\s*\+\s*)*\S+)/giu;
const NEAR_NAMES = 6;
const QUOTED_LENGTH = 40;

/**
 * @param {string} keys names and chords separated by spaces, and quoted text to type: `Control+A "new" Enter`
 * @param {boolean} [isMac] whether the keys are those of a Mac
 * @returns {Stroke[]}
 * @throws {CommandError} INVALID_ARGUMENT
 */
export function strokesOf(keys, isMac = false) {
  return [...keys.matchAll(PART)].flatMap(([, double, single, chord]) =>
    chord === undefined ? typed(double ?? single ?? "") : [strokeOf(chord.replace(/\s/gu, ""), isMac)],
  );
}

/**
 * @param {Stroke} stroke
 * @returns {boolean} whether it is a command to the browser, such as to close the tab, unless the page handles it
 */
export function isForBrowser({ key, held }) {
  const names = held.filter((name) => name !== "Shift").map((name) => (name === "Meta" ? "Control" : name));
  return BROWSER_KEYS.has([...names, key.key.length > 1 ? key.key : key.key.toLowerCase()].join("+"));
}

/**
 * @param {string} text
 * @returns {Stroke[]} one per character
 */
export function typed(text) {
  return [...text.replace(/\r\n?/gu, "\n")].map((character) => ({ ...keyFor(character), held: [] }));
}

/**
 * @param {string} chord
 * @param {boolean} [isMac] whether the keys are those of a Mac
 * @returns {Stroke}
 */
function strokeOf(chord, isMac) {
  // The last plus may be the key itself.
  const names = chord.split(/\+(?=.)/u);
  const last = names.pop() ?? "";
  const held = names.map((name) => modifierNamed(name, isMac));
  if ([...last].length > 1) {
    return { key: /** @type {Key} */ (NAMED[nameLike(last, Object.keys(NAMED))]), held, isShifted: false };
  }
  // With Control but without Shift, a key types no capital letter.
  const { key, isShifted } = keyFor(held.includes("Shift") ? shifted(last) : held.length ? last.toLowerCase() : last);
  return { key, held, isShifted, ...(isMac && held.includes("Meta") && { command: MAC_COMMANDS.get(key.key) }) };
}

/**
 * @param {string} name
 * @param {boolean} [isMac] whether the keys are those of a Mac
 * @returns {ModifierName}
 */
function modifierNamed(name, isMac) {
  if (name.toLowerCase() === "controlormeta") return isMac ? "Meta" : "Control";
  return nameLike(name, MODIFIER_NAMES);
}

/**
 * @template {string} Name
 * @param {string} given
 * @param {Name[]} names
 * @returns {Name}
 * @throws {CommandError} INVALID_ARGUMENT
 */
function nameLike(given, names) {
  const wanted = (OTHER_NAMES.get(given.toLowerCase()) ?? given).toLowerCase();
  const found = names.find((name) => name.toLowerCase() === wanted);
  if (found) return found;
  const near = names.filter((name) => name[0]?.toLowerCase() === wanted[0]).slice(0, NEAR_NAMES);
  const isLong = names.length > NEAR_NAMES;
  const allowed = isLong && near.length ? `a key. Similar names: ${near.join(", ")}` : `one of ${names.join(", ")}`;
  const quoted = JSON.stringify(given.slice(0, QUOTED_LENGTH).toWellFormed());
  throw invalid(
    `keys contains ${quoted}, which is not ${allowed}. Put text to type in quotes: "New York" ArrowDown Enter.`,
  );
}

/**
 * @param {string} character
 * @returns {{key: Key, isShifted: boolean}}
 */
function keyFor(character) {
  if (character === "\n") return { key: ENTER, isShifted: false };
  if (character === "\t") return { key: TAB, isShifted: false };
  if (character === " ") return { key: SPACE, isShifted: false };
  const [code, windowsVirtualKeyCode, , upper] = writingKey(character) ?? ["", 0];
  return { key: { key: character, code, windowsVirtualKeyCode, text: character }, isShifted: character === upper };
}

/** @param {string} character */
function shifted(character) {
  return writingKey(character)?.[3] ?? character.toUpperCase();
}

/** @param {string} character */
function writingKey(character) {
  return WRITING.find(([, , lower, upper]) => character === lower || character === upper);
}

/**
 * @param {[string, number]} key
 * @returns {Key}
 */
function silent([name, windowsVirtualKeyCode]) {
  return { key: name, code: name, windowsVirtualKeyCode };
}

/**
 * @param {string} letter
 * @returns {[string, number, string, string]}
 */
function letterKey(letter) {
  const upper = letter.toUpperCase();
  return [`Key${upper}`, upper.charCodeAt(0), letter, upper];
}

/**
 * @param {string} sign typed with Shift
 * @param {number} digit
 * @returns {[string, number, string, string]}
 */
function digitKey(sign, digit) {
  return [`Digit${digit}`, 48 + digit, String(digit), sign];
}
