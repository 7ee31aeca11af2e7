/**
 * Which page is in each frame of a tab, according to the debugger's events: requests and console messages of a frame
 * are attributed to its own page.
 *
 * @typedef {{url: string, parent?: string, session?: string}} Frame `session`: the debugger's session of a cross-origin
 *   frame
 * @typedef {{frame: {id: string, url: string, parentId?: string}, childFrames?: FrameTree[]}} FrameTree
 */

const IS_WEB = /^https?:/;

export class FramePages {
  mainId = "";
  /** @type {Map<string, Frame>} by the debugger's id */
  #frames = new Map();
  /** @type {Map<number, {frameId: string, origin: string}>} worlds in which scripts run, of the tab's own session */
  #contexts = new Map();

  /**
   * @param {FrameTree} tree
   * @param {string} [session]
   */
  addTree({ frame, childFrames = [] }, session) {
    this.#put(frame, session);
    for (const child of childFrames) this.addTree(child, session);
  }

  /**
   * @param {{targetId: string, url: string}} target
   * @param {string} session the frame's session from now on
   */
  addSession({ targetId, url }, session) {
    this.#put({ id: targetId, url, parentId: this.#frames.get(targetId)?.parent }, session);
  }

  /**
   * @param {string} method of an event in the Page and Runtime domains
   * @param {any} params
   * @param {string} [session]
   */
  handleEvent(method, params, session) {
    switch (method) {
      case "Page.frameAttached":
        return this.#put({ id: params.frameId, url: "", parentId: params.parentFrameId }, session);
      case "Page.frameNavigated":
      case "Page.documentOpened":
        return this.#put(params.frame, session);
      case "Page.navigatedWithinDocument":
        return this.#put({ id: params.frameId, url: params.url }, session);
      case "Page.frameDetached":
        // A frame that only changes its process will soon have a new session.
        return params.reason === "swap" ? undefined : this.#remove(params.frameId);
      case "Runtime.executionContextCreated":
        return this.#addContext(params.context);
      case "Runtime.executionContextDestroyed":
        return void this.#contexts.delete(params.executionContextId);
      case "Runtime.executionContextsCleared":
        return this.#contexts.clear();
    }
  }

  /**
   * @param {string} frameId
   * @returns {string} the URL of its page, or of its owner for an empty page; empty if unknown
   */
  pageOf(frameId) {
    const frame = this.#frames.get(frameId);
    if (!frame) return "";
    if (frame.url && !frame.url.startsWith("about:")) return frame.url;
    const origins = [...this.#contexts.values()].filter((context) => context.frameId === frameId);
    const own = origins.find(({ origin }) => IS_WEB.test(origin));
    if (own) return own.origin;
    const parent = this.#frames.get(frame.parent ?? "");
    // A frame in a process of its own is cross-origin, even before its URL is known.
    return parent && parent.session === frame.session ? this.pageOf(frame.parent ?? "") : "";
  }

  get main() {
    return this.pageOf(this.mainId);
  }

  /**
   * @param {string} [session]
   * @returns {string[]} the pages of all its frames
   */
  pagesIn(session) {
    return [...this.#frames].filter(([, frame]) => frame.session === session).map(([id]) => this.pageOf(id));
  }

  /**
   * @param {number | undefined} contextId
   * @returns {string} empty if the frame is gone or unknown
   */
  pageOfContext(contextId) {
    const context = this.#contexts.get(contextId ?? 0);
    return context ? this.pageOf(context.frameId) : "";
  }

  /**
   * @param {FrameTree["frame"]} frame
   * @param {string} [session]
   */
  #put({ id, url, parentId }, session) {
    const parent = parentId ?? this.#frames.get(id)?.parent;
    this.#frames.set(id, { url, ...(parent !== undefined && { parent }), ...(session !== undefined && { session }) });
  }

  /** @param {string} frameId removed with the frames inside it */
  #remove(frameId) {
    this.#frames.delete(frameId);
    for (const [id, { parent }] of this.#frames) if (parent === frameId) this.#remove(id);
  }

  /** @param {{id: number, origin: string, auxData?: {frameId?: string, isDefault?: boolean}}} context */
  #addContext({ id, origin, auxData: { frameId = "", isDefault = false } = {} }) {
    // Worlds of extensions have origins of their own.
    this.#contexts.set(id, { frameId, origin: isDefault ? origin : "" });
  }
}
