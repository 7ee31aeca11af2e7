/**
 * The choices of a field with a list, read from its state.
 *
 * @import {ListState} from "../shared/types.d.ts"
 */

import { SEPARATOR, isAlike, plain } from "./widget.js";

/**
 * @param {ListState} state
 * @param {[string, string]} chosen the requested value, and the label of its option
 */
export function holdsOption({ shown, hasTime, option, isAlwaysOpen }, [wanted, label]) {
  if (wanted === "") return shown.length === 0;
  if (isAlwaysOpen) return option?.isSelected === true;
  if (hasTime) return true;
  const isLike = (/** @type {string} */ each) => isAlike(each, label) || isAlike(each, wanted);
  const whole = shown.join(" ");
  // A page may draw the separators of a path in elements of their own.
  const isPath = isAlike(whole, wanted.replaceAll(SEPARATOR, " "));
  return shown.some((each) => isLike(each) || isPartOf(each, label, wanted)) || isLike(whole) || isPath;
}

/**
 * @param {ListState} before with the list open
 * @param {ListState} now
 * @param {string} label
 * @returns {boolean} whether the option was selected and the field shows the same since, such as "3 options selected"
 */
export function isSelectedIn(before, now, label) {
  const isSelected = before.selected.some((each) => isAlike(each, label));
  const isSure = now.shown.length > 0 || before.isMultiple;
  return isSelected && isSure && before.shown.join("\n") === now.shown.join("\n");
}

/**
 * @param {ListState} state
 * @param {string[]} labels of the chosen options
 * @returns {boolean} whether the field shows exactly these in one text, although its list does not declare to take several
 */
export function isJoinOf({ shown, isMultiple }, labels) {
  const sorted = (/** @type {string[]} */ texts) => texts.map(plain).sort().join("\n");
  return !isMultiple && shown.length === 1 && labels.length > 1 && sorted(partsOf(shown)) === sorted(labels);
}

/**
 * A list that renders only some of its options may not tell that others are selected.
 *
 * @param {string[]} earlier what the field showed before
 * @param {ListState} state
 * @param {string[]} labels of the chosen options
 * @returns {boolean} whether it shows, in one text with one of these, another value that it showed before
 */
export function keepsOther(earlier, { shown }, labels) {
  const before = new Set(partsOf(earlier).map(plain));
  const now = partsOf(shown).map(plain);
  const isChosen = (/** @type {string} */ one) => labels.some((label) => isAlike(label, one));
  return shown.length === 1 && now.some(isChosen) && now.some((one) => before.has(one) && !isChosen(one));
}

/** @param {string[]} texts */
function partsOf(texts) {
  return texts.flatMap((text) => text.split(/[,;]/u));
}

/**
 * @param {string} shown
 * @param {string} label of the chosen option, which may have a second line
 * @param {string} wanted
 */
function isPartOf(shown, label, wanted) {
  return shown !== "" && plain(label).includes(plain(shown)) && plain(shown).includes(plain(wanted));
}

/**
 * @param {ListState} state asked for these values
 * @param {string[]} values
 * @returns {string[]} options that are selected, but not requested: if the field shows the requested ones by name, only
 *   others that it shows, too, because a branch of a tree may follow from what is in it
 */
export function othersIn({ others, shown }, values) {
  const isShown = (/** @type {string} */ label) => shown.some((each) => isAlike(each, label));
  return values.some(isShown) ? others.filter(isShown) : others;
}
