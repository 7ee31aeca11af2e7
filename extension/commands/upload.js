/** @import {ActionReply, DrivenContext, FoundElement, HeldFiles} from "../shared/types.d.ts" */

import { CommandError, failed, invalid } from "../shared/errors.js";
import { ElementTarget, notesOn, pointOf, REACHED } from "../browser/element-target.js";
import { LEFT, noting, selectorOf } from "./element-params.js";
import { PLAIN_CLICK, pressAt } from "./click.js";
import { notKept } from "./widget.js";

const MAX_FILES = 50;
const CHOOSER_WAIT_MS = 2_000;
const EMPTIED = "The page cleared the field. Check whether it accepted the files.";

/**
 * Sets the files of a field, even of a hidden one behind its label, or of a button that opens a file chooser by script.
 *
 * @param {DrivenContext} context `params`: `selector`; `paths`, 1 to 50 absolute paths that the server has allowed
 * @returns {Promise<ActionReply>}
 * @throws {CommandError} INVALID_ARGUMENT, INVALID_SELECTOR, ELEMENT_NOT_FOUND, FILE_NOT_ALLOWED, EXECUTION_ERROR,
 *   VALUE_NOT_KEPT
 */
export async function upload(context) {
  const { params, session } = context;
  const paths = pathsIn(params.paths);
  await requireFileAccess();
  const chooser = session.next("Page.fileChooserOpened");
  const target = new ElementTarget(context);
  const action = { action: /** @type {const} */ ("upload"), selector: selectorOf(context), count: paths.length };
  const { found, ...outcome } = await target.press(action, async (aimed) =>
    aimed.isFileField ? REACHED : pressAt(context, target, pointOf(aimed), PLAIN_CLICK),
  );
  const notes = notesOn(outcome);
  const objectId = found.isFileField
    ? await ownField(context)
    : await chosenField(context, found, chooser, paths.length);
  session.watchRequests();
  await session.send("DOM.setFileInputFiles", { files: paths, objectId });
  const changed = await target.consequences();
  const names = paths.map(nameOf);
  const held = /** @type {HeldFiles | null} */ (await target.look("readFiles", { names }));
  if (!held) notes.push(LEFT);
  else if (!held.isKept) notes.push(remarkOn({ context, found }, names, held, changed));
  return { ...noting(await target.reply(found, changed), notes), files: held?.names ?? names };
}

/**
 * @param {{context: DrivenContext, found: FoundElement}} field
 * @param {string[]} names of the files
 * @param {HeldFiles} held instead of these
 * @param {string} changed
 * @returns {string} a note for a page that takes the files over, shows them and empties its field
 * @throws {CommandError} VALUE_NOT_KEPT
 */
function remarkOn(field, names, held, changed) {
  if (!held.names.length && changed && held.isShown) return EMPTIED;
  const meanwhile = changed && ` The page changed: ${changed}.`;
  const advice = ` Check whether it accepted or rejected the files before you try again.${meanwhile}`;
  throw notKept(field, names.join(", "), held.names.join(", "), advice);
}

/** @param {unknown} paths */
function pathsIn(paths) {
  if (
    Array.isArray(paths) &&
    paths.length &&
    paths.length <= MAX_FILES &&
    paths.every((path) => typeof path === "string")
  ) {
    return /** @type {string[]} */ (paths);
  }
  throw invalid(`paths must be a list of 1 to ${MAX_FILES} file paths.`);
}

async function requireFileAccess() {
  if (await chrome.extension.isAllowedFileSchemeAccess()) return;
  throw new CommandError(
    "FILE_NOT_ALLOWED",
    'The extension has no access to files. Ask the user to turn on "Allow access to file URLs" for Chrome Tab ' +
      "Reader in chrome://extensions.",
  );
}

/**
 * @param {DrivenContext} context
 * @returns {Promise<string>} object id of the field found in the page
 */
async function ownField({ session }) {
  const { result } = await session.evaluateInOwnWorld("chromeTabReader.uploadField()");
  if (result.objectId) return result.objectId;
  throw failed("The field is gone, or is in a frame of another site, where files cannot be set. Check the page.");
}

/**
 * @param {DrivenContext} context
 * @param {FoundElement} found
 * @param {Promise<{mode: string, backendNodeId?: number}>} chooser
 * @param {number} count
 * @returns {Promise<string>} object id of the field of the file chooser that the page opened
 */
async function chosenField({ session }, { element }, chooser, count) {
  const name = JSON.stringify(element.selector);
  const late = new Promise((resolve) => setTimeout(resolve, CHOOSER_WAIT_MS, null));
  const opened = /** @type {Awaited<typeof chooser> | null} */ (await Promise.race([chooser, late]));
  if (!opened) {
    throw failed(
      `${name} was clicked, but no file dialog opened. Pass the file field, or the button that opens the dialog. If the ` +
        "page only accepts files that are dropped, ask the user to drop them.",
    );
  }
  const { mode, backendNodeId } = opened;
  if (backendNodeId === undefined) {
    throw failed("The page opens a file dialog that only the user can answer. Ask the user to choose the files.");
  }
  if (mode === "selectSingle" && count > 1) throw failed(`${name} accepts only one file, not ${count}. Pass one file.`);
  return session.callOnNode(backendNodeId, "function () { chromeTabReader.setUploadField(this) }");
}

/** @param {string} path */
function nameOf(path) {
  return path.split(/[\\/]/u).at(-1) ?? "";
}
