/** @import {DrivenContext, Point} from "../shared/types.d.ts" */

import { endsWithin } from "./async.js";
import { pressButton, releaseButton } from "./trusted-input.js";

/** How long to wait for a drag that the browser starts late. */
const LATE_MS = 200;

/**
 * The mouse with its left button held down. The button is also released when the command ends.
 *
 * If a page lets the browser drag something (`draggable`, links, images), the browser would take over the mouse, so its
 * drag is intercepted and continued with events of its own.
 */
export class HeldMouse {
  /** @readonly */
  #session;
  /** @readonly */
  #intercepted;
  /** @type {object | null} what the browser drags */
  #data = null;
  #letGo = () => {};

  /** @param {DrivenContext["session"]} session */
  constructor(session) {
    this.#session = session;
    this.#intercepted = session.next("Input.dragIntercepted");
    session.sendAtEnd("Input.setInterceptDrags", { enabled: false });
    void session.send("Input.setInterceptDrags", { enabled: true }).catch(() => {
      // The tab is gone, as the next message will report.
    });
  }

  /** @param {Point} point */
  async press(point) {
    const { x, y } = point;
    // If pressing is not allowed, nothing is released at the end.
    await this.#session.guard.refuse(point);
    this.#letGo();
    this.#letGo = this.#session.sendAtEnd("Input.dispatchMouseEvent", {
      type: "mouseReleased",
      x,
      y,
      button: "left",
      buttons: 0,
      clickCount: 1,
    });
    await pressButton(this.#session, point, "left", 1);
  }

  /**
   * Continues a drag that the browser started.
   *
   * @param {Point} point
   */
  async carry(point) {
    this.#data = (await this.#intercepted).data;
    this.#letGo();
    this.#letGo = this.#session.sendAtEnd("Input.dispatchDragEvent", this.#dragEvent("dragCancel", point));
    await this.enter(point);
  }

  /** Whether this continues a drag that the browser started. */
  get isCarrying() {
    return this.#data !== null;
  }

  /**
   * Brings what the browser drags into the frame there.
   *
   * @param {Point} point
   */
  async enter(point) {
    await this.#session.send("Input.dispatchDragEvent", this.#dragEvent("dragEnter", point));
  }

  /**
   * Ends a drag that was dropped in another frame, or not at all: until then the source's page takes no press.
   *
   * @param {Point} point in the frame of the source
   */
  async cancel(point) {
    if (!(await endsWithin(LATE_MS, this.#intercepted))) return;
    this.#data = (await this.#intercepted).data;
    await this.#session.send("Input.dispatchDragEvent", this.#dragEvent("dragCancel", point));
  }

  /** @param {Point} point */
  async moveTo(point) {
    const { x, y } = point;
    if (this.#data) return this.#session.send("Input.dispatchDragEvent", this.#dragEvent("dragOver", point));
    return this.#session.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y, button: "left", buttons: 1 });
  }

  /** @param {Point} point */
  async release(point) {
    this.#letGo();
    if (this.#data) await this.#session.send("Input.dispatchDragEvent", this.#dragEvent("drop", point));
    else await releaseButton(this.#session, point, "left", 1);
  }

  /**
   * @param {string} type
   * @param {Point} point
   */
  #dragEvent(type, { x, y }) {
    return { type, x, y, data: this.#data };
  }
}
