/**
 * The state of web components: some keep it and their role where only the browser can read them (ElementInternals).
 *
 * @import {DrivenContext} from "../shared/types.d.ts"
 */

/**
 * @param {DrivenContext} context after an action that found the component
 * @returns {Promise<{role: string, checked: boolean} | null>} null if it cannot be checked, or is in a frame of another
 *   site
 */
export async function checkableState({ session }) {
  const { result } = await session.evaluateInOwnWorld("chromeTabReader.target()");
  if (!result.objectId) return null;
  const request = { objectId: result.objectId, fetchRelatives: false };
  const { nodes } = await session.send("Accessibility.getPartialAXTree", request);
  /** @type {import("./debugger/cdp.d.ts").AccessibleNode[]} */
  const [node] = nodes;
  const state = node?.properties?.find(({ name }) => name === "checked");
  return node && state ? { role: String(node.role?.value), checked: state.value.value === "true" } : null;
}
