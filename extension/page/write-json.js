// Runs inside the page's own world, from its own source text: it contains its helpers and uses nothing from outside.

/** @import {JsonRequest} from "../shared/types.d.ts" */

/**
 * Writes a value of the page as JSON text without changing anything: a global with its entries (a data layer), or a
 * given value.
 *
 * The page shares this world and may have replaced any builtin, by mistake (old libraries do) or to deceive. Fresh
 * builtins from an empty frame are no alternative: the page sees such a frame in mutation observers and in
 * window.length, and may also have replaced the functions that create frames. So the text is built by syntax alone (no
 * methods of strings or arrays, no iterators, no spread), and the few builtins that syntax cannot replace can make a
 * value look different, but not break the text. Of the page's own code only getters and proxies run: their values are
 * part of what the page put there.
 *
 * The worker detects what the page can forge nevertheless (commands/page-values.js).
 *
 * @param {JsonRequest} request
 * @returns {string} a WrittenJson as JSON; for a given value, with that as its only entry
 */
export function writeJson(request) {
  // Otherwise a getter of the page could find this function as its caller.
  "use strict";

  /** @typedef {{value: object, outer: Ancestor | null}} Ancestor */

  // All members are own properties: its prototype is the page's.
  const { name, since: first, limits } = request;
  const { apply } = Reflect;
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const MAX_LENGTH = 2 ** 32;
  const MAX_BIGINT = 1n << 256n;
  const MAX_CANDIDATES = 200;
  const MAX_NAME_LENGTH = 60;
  /** @type {any} */
  const ESCAPES = { __proto__: null, '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  /** @type {any} */
  const LISTS = {
    __proto__: null,
    "[object Arguments]": true,
    "[object NodeList]": true,
    "[object HTMLCollection]": true,
    "[object Int8Array]": true,
    "[object Uint8Array]": true,
    "[object Uint8ClampedArray]": true,
    "[object Int16Array]": true,
    "[object Uint16Array]": true,
    "[object Int32Array]": true,
    "[object Uint32Array]": true,
    "[object Float16Array]": true,
    "[object Float32Array]": true,
    "[object Float64Array]": true,
    "[object BigInt64Array]": true,
    "[object BigUint64Array]": true,
  };

  const deadline = now() + limits.milliseconds;
  let room = limits.total;
  const cuts = { text: 0, members: 0, depth: 0, unreadable: 0, total: false, time: false };

  function now() {
    try {
      return performance.now();
    } catch {
      // The page has replaced it; only the command's time limit remains.
      return 0;
    }
  }

  function isSpent() {
    if (room <= 0) cuts.total = true;
    else if (now() > deadline) cuts.time = true;
    return cuts.total || cuts.time;
  }

  // --- Texts

  /**
   * @param {string} text
   * @returns {string} the text in JSON, cut at the limit
   */
  function quoted(text) {
    const end = text.length > limits.text ? limits.text : text.length;
    let inner = "";
    for (let i = 0; i < end; i += 1) inner += escaped(text, i, end);
    if (end < text.length) {
      cuts.text += 1;
      inner += `... [${text.length - end} more characters]`;
    }
    room -= inner.length + 2;
    return `"${inner}"`;
  }

  /**
   * Writes one UTF-16 unit. Lone surrogates and controls become U+FFFD: not every recipient can handle them.
   *
   * @param {string} text
   * @param {number} i
   * @param {number} end
   * @returns {string}
   */
  function escaped(text, i, end) {
    const unit = text[i] ?? "";
    const escape = ESCAPES[unit];
    if (escape) return escape;
    if (unit < " ") return "\ufffd";
    if (unit < "\ud800" || unit > "\udfff") return unit;
    const before = text[i - 1] ?? "";
    const after = i + 1 < end ? (text[i + 1] ?? "") : "";
    const isWhole = unit < "\udc00" ? after >= "\udc00" && after <= "\udfff" : before >= "\ud800" && before < "\udc00";
    return isWhole ? unit : "\ufffd";
  }

  /**
   * Describes what JSON cannot express.
   *
   * @param {string} words
   */
  function marked(words) {
    return quoted(`[${words}]`);
  }

  function unreadable() {
    cuts.unreadable += 1;
    return marked("Unreadable");
  }

  /** @param {unknown} value */
  function textOf(value) {
    return typeof value === "string" ? value : "";
  }

  // --- Values

  /**
   * @param {unknown} value
   * @param {number} depth
   * @param {Ancestor | null} outer the object that contains the value
   * @returns {string} JSON; never throws
   */
  function json(value, depth, outer) {
    try {
      return typeof value === "object" && value !== null ? objectJson(value, depth, outer) : primitiveJson(value);
    } catch {
      return unreadable();
    }
  }

  /** @param {string} text complete JSON */
  function bare(text) {
    room -= text.length;
    return text;
  }

  /** @param {unknown} value */
  function primitiveJson(value) {
    switch (typeof value) {
      case "string":
        return quoted(value);
      case "number":
        return value - value === 0 ? bare(`${value}`) : marked(`${value}`);
      case "boolean":
        return bare(value ? "true" : "false");
      case "bigint":
        // Its digits may take longer than everything else.
        return marked(value > MAX_BIGINT || value < -MAX_BIGINT ? "BigInt" : `BigInt ${value}`);
      case "symbol":
        return marked(`Symbol ${textOf(value.description)}`);
      case "function":
        return marked(`Function ${textOf(getOwnPropertyDescriptor(value, "name")?.value)}`);
      default:
        return value === null ? bare("null") : marked("undefined");
    }
  }

  /**
   * @param {object} value
   * @param {number} depth
   * @param {Ancestor | null} outer
   */
  function objectJson(value, depth, outer) {
    for (let ancestor = outer; ancestor; ancestor = ancestor.outer) {
      if (ancestor.value === value) return marked("Circular");
    }
    const tag = tagOf(value);
    const whole = attempt(() => wholeJson(value, tag)) || (tag === "[object Object]" ? "" : nodeJson(value));
    if (whole) return whole;
    if (depth > limits.depth) {
      cuts.depth += 1;
      return marked(isList(value, tag) ? "List" : "Object");
    }
    const here = { value, outer };
    if (isList(value, tag)) return listJson(value, depth, here);
    return attempt(() => collectionJson(value, tag, depth, here)) || membersJson(value, depth, here);
  }

  /** @param {object} value */
  function tagOf(value) {
    return textOf(apply(Object.prototype.toString, value, []));
  }

  /**
   * @param {object} value
   * @param {string} tag
   */
  function isList(value, tag) {
    return Array.isArray(value) || LISTS[tag] === true;
  }

  /**
   * Any object can claim a tag; the builtin behind it throws for the wrong type.
   *
   * @param {() => string} work
   */
  function attempt(work) {
    try {
      return work();
    } catch {
      return "";
    }
  }

  /**
   * @param {any} value
   * @param {string} tag
   * @returns {string} the JSON of a value that is shown as a whole; empty for all others
   */
  function wholeJson(value, tag) {
    switch (tag) {
      case "[object Date]": {
        const time = apply(Date.prototype.getTime, value, []);
        return time - time === 0
          ? quoted(textOf(apply(Date.prototype.toISOString, value, [])))
          : marked("Invalid Date");
      }
      case "[object RegExp]":
        return quoted(textOf(apply(RegExp.prototype.toString, value, [])));
      case "[object URL]":
        return quoted(textOf(apply(URL.prototype.toString, value, [])));
      case "[object URLSearchParams]":
        return quoted(textOf(apply(URLSearchParams.prototype.toString, value, [])));
      case "[object Error]":
      case "[object DOMException]":
        return marked(`${textOf(value.name)}: ${textOf(value.message)}`);
      case "[object String]":
        return primitiveJson(apply(String.prototype.valueOf, value, []));
      case "[object Number]":
        return primitiveJson(apply(Number.prototype.valueOf, value, []));
      case "[object Boolean]":
        return primitiveJson(apply(Boolean.prototype.valueOf, value, []));
      case "[object Window]":
        return marked("Window");
      default:
        return "";
    }
  }

  /**
   * @param {object} value
   * @returns {string} the JSON of a DOM node: for an element as a selector; empty for everything else
   */
  function nodeJson(value) {
    return attempt(() => {
      // Through the document, because some pages have a global of their own called Node.
      const type = apply(inherited(document, "nodeType")?.get, value, []);
      if (type !== 1) return marked(`Node ${textOf(apply(inherited(value, "nodeName")?.get, value, []))}`);
      const getAttribute = inherited(value, "getAttribute")?.value;
      const id = textOf(apply(getAttribute, value, ["id"]));
      const localName = textOf(apply(inherited(value, "localName")?.get, value, []));
      return marked(`Element ${localName}${id && `#${id}`}${classes(textOf(apply(getAttribute, value, ["class"])))}`);
    });
  }

  /**
   * @param {object} value
   * @param {string} property
   * @returns {any} its descriptor; the value itself is skipped, because a form has its fields as members
   */
  function inherited(value, property) {
    for (let owner = getPrototypeOf(value); owner; owner = getPrototypeOf(owner)) {
      const descriptor = getOwnPropertyDescriptor(owner, property);
      if (descriptor) return descriptor;
    }
    return undefined;
  }

  /** @param {string} attribute */
  function classes(attribute) {
    let selector = "";
    let isGap = true;
    for (let i = 0; i < attribute.length && i < limits.text; i += 1) {
      const unit = attribute[i] ?? "";
      if (unit > " ") selector += isGap ? `.${unit}` : unit;
      isGap = unit <= " ";
    }
    return selector;
  }

  // --- Containers

  /**
   * @param {any} list
   * @param {number} depth
   * @param {Ancestor} here
   */
  function listJson(list, depth, here) {
    const length = lengthOf(list);
    let text = "";
    let i = 0;
    for (; i < length && i < limits.entries && !isSpent(); i += 1) {
      text += (text && ",") + memberJson(list, i, depth + 1, here);
    }
    if (i === limits.entries && i < length) cuts.members += 1;
    return `[${text}]`;
  }

  /**
   * @param {any} value
   * @param {number} depth
   * @param {Ancestor} here
   */
  function membersJson(value, depth, here) {
    const keys = Object.keys(value);
    let text = "";
    let i = 0;
    for (; i < keys.length && i < limits.keys && !isSpent(); i += 1) {
      const key = textOf(keys[i]);
      text += `${text && ","}${quoted(key)}:${memberJson(value, key, depth + 1, here)}`;
    }
    if (i === limits.keys && i < keys.length) cuts.members += 1;
    return `{${text}}`;
  }

  /**
   * @param {any} value
   * @param {string} tag
   * @param {number} depth
   * @param {Ancestor} here
   * @returns {string} the JSON list of a Map (of pairs) or a Set; empty for everything else
   */
  function collectionJson(value, tag, depth, here) {
    const isMap = tag === "[object Map]";
    if (!isMap && tag !== "[object Set]") return "";
    let text = "";
    let count = 0;
    const add = (/** @type {unknown} */ member, /** @type {unknown} */ key) => {
      count += 1;
      if (count > limits.entries || isSpent()) return;
      room -= 1;
      const memberText = json(member, depth + 1, here);
      text += (text && ",") + (isMap ? `[${json(key, depth + 1, here)},${memberText}]` : memberText);
    };
    apply(isMap ? Map.prototype.forEach : Set.prototype.forEach, value, [add]);
    if (count > limits.entries) cuts.members += 1;
    return `[${text}]`;
  }

  /**
   * @param {any} holder
   * @param {string | number} key
   * @param {number} depth
   * @param {Ancestor | null} here
   */
  function memberJson(holder, key, depth, here) {
    // Even an empty object takes some room, so that endless structures end here.
    room -= 3;
    try {
      return json(holder[key], depth, here);
    } catch {
      return unreadable();
    }
  }

  /** @param {any} list */
  function lengthOf(list) {
    const { length } = list;
    return typeof length === "number" && length > 0 && length <= MAX_LENGTH ? length - (length % 1) : 0;
  }

  // --- A global

  /** @returns {any} undefined if there is nothing of that name */
  function find() {
    /** @type {any} */
    let value = window;
    let step = "";
    for (let i = 0; i <= name.length; i += 1) {
      if (i < name.length && name[i] !== ".") {
        step += name[i];
        continue;
      }
      // An element with that id is also a member of the window, but not an own property.
      if (value === window && !getOwnPropertyDescriptor(window, step)) return undefined;
      value = value?.[step];
      step = "";
    }
    return value ?? undefined;
  }

  /** @param {any} value */
  function isPushable(value) {
    return typeof value === "object" && value !== null && (Array.isArray(value) || typeof value.push === "function");
  }

  /** @param {any} layer */
  function isLayerList(layer) {
    try {
      if (typeof layer !== "object" || layer === null) return false;
      return isList(layer, tagOf(layer)) || (isPushable(layer) && lengthOf(layer) > 0);
    } catch {
      // A proxy that cannot be inspected counts as one unreadable value.
      return false;
    }
  }

  /**
   * @param {any} layer
   * @param {boolean} isListed whether its entries are the values; otherwise it is the one value
   * @returns {string} a WrittenJson
   */
  function readingJson(layer, isListed) {
    const list = isListed ? layer : { 0: layer, length: 1 };
    const outer = isListed ? { value: layer, outer: null } : null;
    const total = lengthOf(list);
    let text = "";
    let since = total;
    if (first < 0) {
      // The newest matter most, so they get the available room first.
      for (; since > 0 && total - since < limits.entries && !isSpent(); since -= 1) {
        text = memberJson(list, since - 1, 1, outer) + (text && ",") + text;
      }
    } else {
      since = first < total ? first : total;
      for (let i = since; i < total && i - since < limits.entries && !isSpent(); i += 1) {
        text += (text && ",") + memberJson(list, i, 1, outer);
      }
    }
    return `{"found":true,"values":[${text}],"total":${total},"since":${since},"cuts":${cutsJson()}}`;
  }

  function cutsJson() {
    const { text, members, depth, unreadable: failed, total, time } = cuts;
    const counts = `"text":${text},"members":${members},"depth":${depth},"unreadable":${failed}`;
    return `{${counts},"total":${total},"time":${time}}`;
  }

  /** @returns {string} names of globals that may be meant instead, as JSON */
  function candidatesJson() {
    const names = Object.keys(window);
    let text = "";
    let count = 0;
    for (let i = 0; i < names.length && count < MAX_CANDIDATES; i += 1) {
      const candidate = textOf(names[i]);
      if (candidate.length > MAX_NAME_LENGTH || !isCandidate(candidate)) continue;
      text += (text && ",") + quoted(candidate);
      count += 1;
    }
    return `{"found":false,"candidates":[${text}]}`;
  }

  /** @param {string} candidate */
  function isCandidate(candidate) {
    try {
      // Not window[candidate]: inspecting must not run a getter.
      return isPushable(getOwnPropertyDescriptor(window, candidate)?.value);
    } catch {
      return false;
    }
  }

  if (!name) return readingJson({ 0: request.value, length: 1 }, true);
  let found;
  try {
    found = find();
  } catch {
    // A getter on the path threw: what is behind it does not exist for anyone.
  }
  return found === undefined ? candidatesJson() : readingJson(found, isLayerList(found));
}
