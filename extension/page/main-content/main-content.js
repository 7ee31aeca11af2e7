"use strict";

// The main content of a page, without menus, footers and invisible text.

const mainContent = (() => {
  const { copyOf, seenOf } = visibleCopy;
  const { dataTableOf, hasColumnHeaders, joinParts, tablesIn } = dataTables;
  const { blocksOf, collapse } = textBlocks;
  const { weigh, containerOf } = blockModel;
  const { render } = markdown;

  /**
   * Readability's choice is used as a whole if it has this length and this share of the length that the model would
   * keep. The smaller share is for pages whose metadata agree that they are articles.
   */
  const MIN_ARTICLE = 250;
  const MIN_ARTICLE_LENGTH = 0.75;
  const MIN_DECLARED_LENGTH = 0.25;
  /** On a page that does not declare its type, it must also contain this share of the long lines. */
  const MIN_LONG_LINES = 0.92;
  /** Of Readability's choice, blocks less likely than this are left out, except rows of data tables. */
  const MIN_LIKELIHOOD = 0.2;
  /** Blocks at least this likely are added to Readability's choice, between its first and its last block. */
  const MIN_ADDED = 0.6;
  /** On a page that does not declare its type, blocks this likely are added if others of their kind are kept. */
  const MIN_SAME_KIND = 0.35;
  /** A list with this share of code is kept as a whole: its other lines name the code. */
  const MIN_CODE = 0.5;
  /** A form with this share of what is kept is the content, and its labels say what is to be entered. */
  const MIN_FORM = 0.5;
  /**
   * Content for browsers without scripts has little around it: from this share on, Readability's choice counts as all
   * of it.
   */
  const NEARLY_ALL = 0.9;
  /** A table is content if it has at least this share of content, or less than this share of links. */
  const MIN_TABLE = 0.3;
  const FEW_LINKS = 0.5;
  /** What else belongs to a form: values, and headings over columns. Only in field sets: a form may be around all. */
  const PARTS_OF_FORM = "fieldset :is([data-field], b, strong)";
  const HEADS = "thead, [role=columnheader]";
  /** A page with less text is content but for its surroundings: a form, a list of files. Too little is there to weigh. */
  const MIN_WEIGHED = 500;
  /** If less than this is kept, the choice has failed, and the whole page is read. */
  const MIN_KEPT = 100;
  /** So many elements of the same tag and names next to each other are cards: products, people, messages. */
  const MIN_CARDS = 3;
  /** Minimum length of a sentence that is kept for itself: shorter ones say hardly anything. */
  const MIN_SENTENCE = 30;
  const SENTENCE_END = /[.!?\u3002\uff01\uff1f]$/u;
  /** A page that shows less may have its text in `noscript` elements. */
  const FEW_CHARS = 250;
  /** Below that share of the page's text most of it is covered, or fades in when a script runs: all is read. */
  const MIN_SEEN = 0.25;

  /** An application has so many controls that fewer characters than this come to each: all but its menus is content. */
  const CHARS_PER_CONTROL = 30;
  const LEAST_CONTROLS = 8;
  const CONTROLS =
    "[data-field]:not([data-field=img]), button, [role=button], [role=combobox], [role=tab], [role=gridcell], " +
    "[role=slider], [role=switch], [role=checkbox], [role=treeitem]";
  /** What blocks the rest of the page. */
  const MODAL = "[data-over=modal]";
  const AROUND_CONTENT =
    "nav, aside, footer, dialog, button, [role=navigation], [role=banner], [role=contentinfo], [role=complementary], " +
    "[role=search], [role=dialog], [role=alertdialog], [role=menu], [role=menubar], [role=toolbar], [role=status], " +
    `[role=alert], [aria-modal=true], header, ${MODAL}`;
  /** Buttons that are a choice, or show one: in an application they are fields. */
  const CHOICE =
    "[aria-pressed], [aria-checked], [aria-selected], [aria-haspopup=listbox], [role=option], [data-labeled]";
  /** Messages in the content: one that is drawn over the page may be about anything. */
  const MESSAGE = ":is([role=status], [role=alert]):not([data-over])";
  /** Maximum length of such a message, and maximum number of them. */
  const [MAX_MESSAGE, MAX_MESSAGES] = [500, 20];
  const IN_MODAL = `${MODAL} :is([role=dialog], [role=alertdialog], [role=status], [role=alert])`;
  const CONSENT = ":is([class*=cookie i], [id*=cookie i], [class*=consent i], [id*=consent i])";
  const HEADINGS = "h1, h2, h3, h4, h5, h6, dt, th, [role=columnheader]";
  const IN_CONTENT = `article, main, [role=main], blockquote, ${MODAL}`;
  const ARTICLE = /^(?:article|news|blog|post|story|\w*article|\w*blogposting)$/i;
  const NO_ARTICLE =
    /^(?:.*product.*|productgroup|itemlist|collectionpage|discussionforumposting|qapage|question|answer)$/i;
  const ITEM = "li, dt, dd";
  const SECTION_HEADING = "h1, h2, h3, h4, h5, h6";
  const HAS_WORDS = /[\p{L}\p{N}]/u;
  const DECLARED_TYPE = /"@type"\s*:\s*\[?\s*"([A-Za-z]+)"/g;

  /**
   * @typedef {object} Options
   * @property {boolean} [links] whether to write links as Markdown
   * @property {number} [shown] length of the page's text
   * @property {Parameters<typeof copyOf>[1]} [meanings]
   * @property {Parameters<typeof render>[1]["gapsIn"]} [gapsIn]
   * @property {RegExp} [power]
   * @property {RegExp} [base]
   */

  const NO_MEANINGS = {
    fieldValue: () => "",
    isSign: () => false,
    rows: new Map(),
    checked: new Set(),
    formulas: new Map(),
    formulaOf: () => "",
    areApart: () => false,
  };

  /** @typedef {"article" | "blocks" | "noscript" | "whole"} Path the method that found the text */

  /** @typedef {{message: Element, place: Comment, around: Element | null}} Message `around`: the nearest other text */

  /** @typedef {{dialogs: Element[], messages: Message[]}} Aside what may be content, but is not weighed like the page */

  /**
   * Removes elements that are marked as surroundings of the content, unless they contain half of the text.
   *
   * @param {HTMLElement} body
   * @param {boolean} isProgram whether the page is an application
   * @returns {Aside} the modal dialogs and the messages among them
   */
  function removeSurroundings(body, isProgram) {
    const half = (body.textContent ?? "").length / 2;
    /** @type {Element[]} */
    const dialogs = [];
    /** @type {{message: Element, place: Comment, text: string}[]} */
    const messages = [];
    for (const element of body.querySelectorAll(AROUND_CONTENT)) {
      const isModal = element.matches(MODAL) && !element.closest(CONSENT);
      if (!isModal && (!isAround(element, isProgram) || (element.textContent ?? "").length >= half)) continue;
      const text = collapse(element.textContent ?? "");
      if (isModal) dialogs.push(element);
      else if (text && text.length <= MAX_MESSAGE && element.matches(MESSAGE)) {
        const place = new Comment();
        element.before(place);
        messages.push({ message: element, place, text });
      }
      element.remove();
    }
    const alike = [...Map.groupBy(messages, ({ text }) => text).values()];
    // The same message in several places stands for parts that are still loading.
    const single = alike.flatMap((same) => (same.length === 1 ? same : [])).slice(0, MAX_MESSAGES);
    return { dialogs, messages: single.map(({ message, place }) => ({ message, place, around: textAround(place) })) };
  }

  /** @param {Comment} place */
  function textAround(place) {
    let around = place.parentElement;
    while (around && isEmpty(around)) around = around.parentElement;
    return around;
  }

  /**
   * Puts dialogs back at the start, because a user has to deal with them first, and messages if content is left around
   * them.
   *
   * @param {HTMLElement} body
   * @param {Aside} aside
   */
  function putBack(body, { dialogs, messages }) {
    body.prepend(...dialogs);
    for (const { message, place, around } of messages) {
      if (around && !isEmpty(around) && body.contains(around)) place.replaceWith(message);
    }
  }

  /** @param {Element} element */
  function isEmpty(element) {
    return !collapse(element.textContent ?? "");
  }

  /**
   * @param {Element} element
   * @param {boolean} isProgram whether the page is an application
   */
  function isAround(element, isProgram) {
    const tag = element.localName;
    if (element.matches(IN_MODAL)) return false;
    // What an entry of a list is called may be a path: "Flows > Nightly report".
    if (tag === "nav") return !element.closest("li");
    // Headers of columns sort by a click, headings open their sections, and a field with a list shows its value.
    if (tag === "button") {
      if (isProgram && element.matches(CHOICE)) return false;
      return !element.closest(`${HEADINGS}, [role=combobox]`) && !element.querySelector(HEADINGS);
    }
    if (tag === "footer") return !element.closest(IN_CONTENT) || Boolean(element.querySelector("a"));
    if (tag === "aside") return !element.closest(IN_CONTENT) || isLinked(element);
    if (tag !== "header" || element.hasAttribute("role")) return true;
    return !element.closest(`${IN_CONTENT}, section`) && !element.querySelector("h1");
  }

  /** @param {Element} element */
  function isLinked(element) {
    const linked = [...element.querySelectorAll("a")].map((link) => collapse(link.textContent ?? "").length);
    return linked.reduce((sum, length) => sum + length, 0) >= FEW_LINKS * collapse(element.textContent ?? "").length;
  }

  /**
   * @param {Document} copy
   * @param {ReturnType<typeof declaredKind>} kind
   * @returns {Element | null} Readability's choice
   */
  function readableOf(copy, kind) {
    const copied = /** @type {Document} */ (copy.cloneNode(true));
    const serializer = (/** @type {Element} */ element) => element;
    // It tries up to four times to find this many characters; for pages that are not articles the model finds the rest.
    const options = { serializer, disableJSONLD: true, charThreshold: isArticleKind(kind) ? 500 : 0 };
    return new Readability(copied, options).parse()?.content ?? null;
  }

  /**
   * @param {Document} page
   * @param {string} selector
   * @returns {Element[]}
   */
  function all(page, selector) {
    return [...Reflect.apply(Document.prototype.querySelectorAll, page, [selector])];
  }

  /**
   * @param {Document} page
   * @returns {"article" | "claimed" | "other" | ""} its declared type; `claimed`: an article, but not in all metadata.
   *   Many themes declare every page of a site as an article, but only in `og:type`.
   */
  function declaredKind(page) {
    const data = all(page, 'script[type="application/ld+json"]').map((script) => script.textContent ?? "");
    const schemaTypes = [
      ...data.flatMap((text) => [...text.matchAll(DECLARED_TYPE)].map(([, type = ""]) => type)),
      ...all(page, "[itemtype]").map((element) => element.getAttribute("itemtype")?.split("/").pop() ?? ""),
    ];
    const openGraph = all(page, 'meta[property="og:type"]').map((meta) => meta.getAttribute("content") ?? "");
    const isArticle = (/** @type {string} */ type) => ARTICLE.test(type);
    if ([...schemaTypes, ...openGraph].some((type) => NO_ARTICLE.test(type))) return "other";
    const isMarked = schemaTypes.some(isArticle) || all(page, "[itemprop=articleBody]").length > 0;
    if (isMarked && openGraph.every(isArticle)) return "article";
    return isMarked || openGraph.some(isArticle) ? "claimed" : "";
  }

  /** @param {ReturnType<typeof declaredKind>} kind */
  function isArticleKind(kind) {
    return kind === "article" || kind === "claimed";
  }

  /**
   * Returns the text that a page provides for browsers without scripts.
   *
   * @param {Document} page
   * @returns {Document | null}
   */
  function withoutScripts(page) {
    const texts = all(page, "noscript").map((part) => part.textContent ?? "");
    const [longest] = texts.sort((a, b) => b.length - a.length);
    // Safe where it is available: nothing parsed this way can run.
    const parse = Reflect.get(Document, "parseHTML");
    return longest && parse ? seenOf(Reflect.apply(parse, Document, [longest])) : null;
  }

  /**
   * @param {Document} page
   * @param {Options} options
   * @returns {ReturnType<typeof copyOf> & {path: Path, chars: number}} its readable content
   */
  function readableCopy(page, { meanings = NO_MEANINGS, shown = 0 }) {
    const { copy, rows } = copyOf(page, meanings);
    joinParts(copy.body);
    const chars = textLength(copy);
    // The copy lacks the text of fields: an application with a few of them shows more.
    const spare = Math.max(chars, shown) < FEW_CHARS ? withoutScripts(page) : null;
    const spareChars = spare ? textLength(spare) : 0;
    if (spare && spareChars > FEW_CHARS) return { copy: spare, rows, path: "noscript", chars: spareChars };
    return { copy, rows, path: "blocks", chars };
  }

  /**
   * @param {Document} copy of a page
   * @param {number} chars length of its text
   */
  function isApplication(copy, chars) {
    const controls = [...copy.querySelectorAll(CONTROLS)];
    const isDense = (/** @type {number} */ count, /** @type {number} */ length) =>
      count >= LEAST_CONTROLS && length < CHARS_PER_CONTROL * count;
    if (isDense(controls.length, chars)) return true;
    // Rows are not a text to read: a mail program lists hundreds of messages next to the one that is open.
    const inRows = tablesIn(copy.body).reduce((sum, table) => sum + collapse(table.textContent ?? "").length, 0);
    return isDense(controls.filter((one) => !dataTableOf(one)).length, chars - inRows);
  }

  /** @param {Document} copy */
  function textLength({ body }) {
    return collapse(body.textContent ?? "").length;
  }

  /**
   * @param {Document} page
   * @param {Options} options
   * @returns {ReturnType<typeof readableCopy> & {kind: ReturnType<typeof declaredKind>, readable: Element | null,
   *   readableText: string, isProgram: boolean, aside: Aside}} `copy`: without the surroundings of the content; `chars`:
   *   including them
   */
  function prepare(page, options) {
    const copied = readableCopy(page, options);
    const kind = declaredKind(page);
    const isProgram = !isArticleKind(kind) && isApplication(copied.copy, copied.chars);
    const aside = removeSurroundings(copied.copy.body, isProgram);
    const readable = readableOf(copied.copy, kind);
    const readableText = readable ? render(readable, { isPlain: true }).text : "";
    return { ...copied, kind, isProgram, readable, readableText, aside };
  }

  /**
   * @param {Document} page
   * @returns {{text: string, kind: string, container: number, features: Record<string, number>}[]} training data for the
   *   model; `container`: blocks with the same number share a container
   */
  function examine(page) {
    const { copy, readableText } = prepare(page, {});
    const { blocks, features } = blocksOf(copy.body, readableText);
    const containers = blocks.map(containerOf);
    return blocks.map(({ text, kind }, i) => ({
      text,
      kind,
      container: containers.indexOf(/** @type {Element} */ (containers[i])),
      features: features[i] ?? {},
    }));
  }

  /**
   * @param {Document} page
   * @param {Options} options
   * @returns {{path: Path, text: string, kept: [start: number, end: number][]}} `text` is empty if there is none to
   *   see; `kept`: its lines in which nothing counts as repeated
   */
  function read(page, options) {
    const { copy, rows, path, chars, kind, isProgram, readable, readableText, aside } = prepare(page, options);
    const form = {
      links: options.links ?? false,
      rows,
      gapsIn: options.gapsIn,
      power: options.power,
      base: options.base,
    };
    if (readable && path === "noscript" && readableText.length >= NEARLY_ALL * textLength(copy)) {
      return { path, ...render(readable, form) };
    }
    const isSeen = chars >= MIN_SEEN * (options.shown ?? 0);
    const written = () => {
      putBack(copy.body, aside);
      return render(copy.body, form);
    };
    const isSmall = chars < MIN_WEIGHED && !isArticleKind(kind);
    if (isSeen && (isProgram || isSmall)) return { path: "whole", ...written() };
    const found = blocksOf(copy.body, readableText);
    const { blocks } = found;
    const { isArticle, isChosen } = chosen(found, kind);
    if (!isArticle && !isSeen) return { path: "whole", text: "", kept: [] };
    const parts = [withCodeLists, withWholeLists, withWholeCards, withLabels, withSummaries];
    const steps = [...parts, withHeadings, withAnnounced];
    const isCompleted = steps.reduce((isOwn, complete) => complete(blocks, isOwn), isChosen);
    const isKept = withWholeRows(blocks, isCompleted, rows);
    if (lengthOf(blocks, isKept) < MIN_KEPT) return { path: "whole", ...written() };
    blocks.forEach(({ nodes }, i) => {
      if (!isKept[i]) for (const node of nodes) node.remove();
    });
    return { path: isArticle && path === "blocks" ? "article" : path, ...written() };
  }

  /**
   * Chooses between the blocks that Readability has found and those that the model considers content.
   *
   * @param {ReturnType<typeof blocksOf>} found
   * @param {ReturnType<typeof declaredKind>} kind
   * @returns {{isArticle: boolean, isChosen: boolean[]}} `isArticle`: whether Readability's choice counts
   */
  function chosen({ blocks, features, readableLongShare }, kind) {
    const isReadable = withWholeTables(
      blocks,
      blocks.map((block) => block.isReadable),
    );
    const { likelihoods, ...weighed } = weigh(blocks, features);
    const isContent = withWholeTables(blocks, weighed.isContent);
    const [length, contentLength] = [lengthOf(blocks, isReadable), lengthOf(blocks, isContent)];
    const mayBeArticle = isArticleKind(kind) || (kind === "" && readableLongShare >= MIN_LONG_LINES);
    const minShare = kind === "article" ? MIN_DECLARED_LENGTH : MIN_ARTICLE_LENGTH;
    const isArticle = mayBeArticle && length >= Math.max(MIN_ARTICLE, minShare * contentLength);
    if (!isArticle) return { isArticle, isChosen: withInner(blocks, isContent, []) };
    const isLikely = blocks.map(({ holder }, i) => {
      const isSure = (likelihoods[i] ?? 0) >= MIN_LIKELIHOOD || dataTableOf(holder) !== null;
      return Boolean(isReadable[i]) && isSure;
    });
    const isInner = withInner(blocks, isLikely, likelihoods);
    return { isArticle, isChosen: kind === "" ? withSameKinds(blocks, isInner, likelihoods) : isInner };
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @param {number[]} likelihoods
   * @returns {boolean[]} the same, with the code and the likely blocks between those
   */
  function withInner(blocks, isKept, likelihoods) {
    const [first, last] = [isKept.indexOf(true), isKept.lastIndexOf(true)];
    return blocks.map(({ around }, i) => {
      const isInner = around.tags.has("pre") || (likelihoods[i] ?? 0) >= MIN_ADDED;
      return Boolean(isKept[i]) || (isInner && i > first && i < last);
    });
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @param {number[]} likelihoods
   * @returns {boolean[]} the same, with more blocks of the kinds that are kept
   */
  function withSameKinds(blocks, isKept, likelihoods) {
    const kinds = new Set(blocks.filter((_, i) => isKept[i]).map(({ kind }) => kind));
    return blocks.map(({ kind }, i) => {
      return Boolean(isKept[i]) || (kinds.has(kind) && (likelihoods[i] ?? 0) >= MIN_SAME_KIND);
    });
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @returns {boolean[]} the same, with the rest of each list that is mostly code
   */
  function withCodeLists(blocks, isKept) {
    const items = blocks.map(({ holder, text, around }, i) => {
      const code = isKept[i] && around.tags.has("pre") ? text.length : 0;
      return { list: holder.closest("ul, ol"), length: text.length, code };
    });
    const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, number) => total + number, 0);
    const lists = [...Map.groupBy(items, ({ list }) => list)].filter(([, own]) => {
      return sum(own.map(({ code }) => code)) >= MIN_CODE * sum(own.map(({ length }) => length));
    });
    const ofCode = new Set(lists.map(([list]) => list));
    return items.map(({ list }, i) => Boolean(isKept[i]) || (list !== null && ofCode.has(list)));
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @returns {boolean[]} the same, with the other items of each list of which most is kept
   */
  function withWholeLists(blocks, isKept) {
    const isInKeptList = areMostlyKept(
      blocks,
      isKept,
      blocks.map(({ holder }) => listAround(holder)),
    );
    return blocks.map((_, i) => Boolean(isKept[i] || isInKeptList[i]));
  }

  /**
   * @param {Element} holder
   * @param {Map<Element, Map<string, Element[]>>} alike the children of elements visited so far, by tag and names
   * @returns {Element | null} the innermost element around it with several others like it next to it
   */
  function cardAround(holder, alike) {
    const lookOf = (/** @type {Element} */ { localName, className }) => `${localName} ${className}`;
    for (let card = holder.parentElement, list; (list = card?.parentElement); card = list) {
      const groups = alike.get(list) ?? Map.groupBy(list.children, lookOf);
      alike.set(list, groups);
      if ((groups.get(lookOf(card))?.length ?? 0) >= MIN_CARDS) return card;
    }
    return null;
  }

  /**
   * @param {Element} holder
   * @returns {Element | null} the list that it is an item of; of lists that are nested directly, the outermost one
   */
  function listAround(holder) {
    let item = holder.matches(ITEM) ? holder : holder.parentElement;
    let list = null;
    while (item?.matches(ITEM) && item.parentElement?.matches("ul, ol, dl")) {
      list = item.parentElement;
      item = list.parentElement;
    }
    return list;
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @returns {boolean[]} the same, with what is missing in a card that is kept, if most cards next to it keep it
   */
  function withWholeCards(blocks, isKept) {
    /** @type {Map<Element, Map<string, Element[]>>} */
    const alike = new Map();
    const cards = blocks.map(({ holder }) => cardAround(holder, alike));
    // The same kind may be in several lists of cards.
    const lists = new Map(cards.map((card, i) => [card?.parentElement, i]));
    const kinds = cards.map((card, i) => card && `${lists.get(card.parentElement)} ${blocks[i]?.kind}`);
    const keptCards = new Set(cards.filter((_, i) => isKept[i]));
    const isOfKeptKind = areMostlyKept(blocks, isKept, kinds);
    return blocks.map((_, i) => Boolean(isKept[i] || (keptCards.has(cards[i] ?? null) && isOfKeptKind[i])));
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @returns {boolean[]} the same, with the labels and values of a form that most of what is kept is in
   */
  function withLabels(blocks, isKept) {
    const forms = blocks.map(({ holder }) => holder.closest("form"));
    const lengthIn = (/** @type {Element} */ form) =>
      lengthOf(
        blocks,
        isKept.map((isOwn, i) => isOwn && forms[i] === form),
      );
    const form = [...new Set(forms)].find((one) => one && lengthIn(one) > MIN_FORM * lengthOf(blocks, isKept));
    return blocks.map(({ around, nodes }, i) => {
      const isPart = around.tags.has("label") || nodes.every(isPartOfForm);
      return Boolean(isKept[i]) || (Boolean(form) && forms[i] === form && isPart);
    });
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @returns {boolean[]} the same, with the summary of each `details` of which anything is kept: a question, or the
   *   signature of a function
   */
  function withSummaries(blocks, isKept) {
    /** @type {Set<Element | null | undefined>} */
    const kept = new Set();
    blocks.forEach(({ holder }, i) => {
      let details = isKept[i] ? holder.closest("details") : null;
      for (; details; details = details.parentElement?.closest("details") ?? null) kept.add(details);
    });
    return blocks.map(({ holder }, i) => Boolean(isKept[i]) || kept.has(holder.closest("summary")?.parentElement));
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @returns {boolean[]} the same, with the headings of each section of which anything is kept
   */
  function withHeadings(blocks, isKept) {
    const headings = blocks.map(({ holder }) => holder.closest(SECTION_HEADING));
    const isNeeded = [...isKept];
    /** @type {{i: number, heading: Element, section: Element | null}[]} */
    let open = [];
    blocks.forEach(({ holder, text }, i) => {
      const heading = headings[i] ?? null;
      if (heading) {
        let next = i + 1;
        while (headings[next] === heading) next += 1;
        open = open.filter((above) => above.heading === heading || above.heading.localName < heading.localName);
        // A link to the section may consist of a sign.
        if (HAS_WORDS.test(text)) open.push({ i, heading, section: aroundBoth(heading, blocks[next]?.holder) });
      }
      if (isKept[i]) for (const { i: above, section } of open) if (section?.contains(holder)) isNeeded[above] = true;
    });
    return isNeeded;
  }

  /**
   * @param {Element} element
   * @param {Element | undefined} other
   * @returns {Element | null} the innermost element around both
   */
  function aroundBoth(element, other) {
    let around = other ? element.parentElement : null;
    while (around && other && !around.contains(other)) around = around.parentElement;
    return around;
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @param {ReturnType<typeof copyOf>["rows"]} rows
   * @returns {boolean[]} the same, with the other cells of each row and of each grid of which most is kept
   */
  function withWholeRows(blocks, isKept, rows) {
    const places = blocks.map(({ holder }) => placeInRow(holder, rows));
    const ofCells = new Set(places.map((place, i) => (isKept[i] ? place?.cell : undefined)));
    const [firsts, grids] = [places.map((place) => place?.first), places.map((place) => place?.grid)];
    const [isInKeptRow, isInKeptGrid] = [areMostlyKept(blocks, isKept, firsts), areMostlyKept(blocks, isKept, grids)];
    return places.map((place, i) => {
      const isOfMost = Boolean(isInKeptRow[i] || isInKeptGrid[i]);
      return Boolean(isKept[i]) || (isOfMost && !ofCells.has(place?.cell));
    });
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @param {(Element | string | null | undefined)[]} groups that the blocks belong to
   * @returns {boolean[]} whether each block belongs to a group of which most is kept
   */
  function areMostlyKept(blocks, isKept, groups) {
    /** @type {Map<Element | string | null | undefined, {length: number, kept: number}>} */
    const sizes = new Map();
    blocks.forEach(({ text }, i) => {
      const { length, kept } = sizes.get(groups[i]) ?? { length: 0, kept: 0 };
      sizes.set(groups[i], { length: length + text.length, kept: kept + (isKept[i] ? text.length : 0) });
    });
    return groups.map((group) => {
      const { length, kept } = sizes.get(group) ?? { length: 0, kept: 0 };
      return Boolean(group) && kept > length / 2;
    });
  }

  /**
   * @param {Element} holder
   * @param {ReturnType<typeof copyOf>["rows"]} rows
   * @returns {{cell: Element, first: Element | undefined, grid: Element | null} | null} the cell of a row that it is in,
   *   the first one in the same line, and the grid or definition list whose cells have no element for each row
   */
  function placeInRow(holder, rows) {
    for (let cell = holder, around; (around = cell.parentElement); cell = around) {
      const row = rows.get(cell);
      if (!row || rows.get(around) !== row) continue;
      const cells = [...around.children];
      const place = cells.indexOf(cell);
      if (row.columns === Infinity) return { cell, first: cells[0], grid: null };
      return { cell, first: cells[place - (place % row.columns)], grid: around };
    }
    return null;
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @returns {boolean[]} the same, with what a label or a heading announces: the value after a colon, the label of a
   *   value, and what comes first in a section of which nothing else is kept, in a list with its other items
   */
  function withAnnounced(blocks, isKept) {
    const isNear = blocks.map(({ holder }, i) => {
      const next = blocks[i + 1]?.holder;
      return next !== undefined && Boolean(holder.parentElement?.contains(next));
    });
    const isLabel = blocks.map(({ text }, i) => isNear[i] && /[:\uff1a]$/u.test(text));
    const isHeading = blocks.map(({ holder }) => holder.matches(SECTION_HEADING));
    const isUnlinked = (/** @type {number} */ i) => (blocks[i]?.linked ?? 1) <= FEW_LINKS;
    const bare = bareSections(isHeading, isKept);
    const firsts = new Set(bare.map(([heading]) => heading + 1).filter((i) => isNear[i - 1] && isUnlinked(i)));
    const leads = new Set(bare.flatMap(([heading, end]) => sentencesBelow(blocks, heading, end)));
    const isValue = blocks.map((_, i) => Boolean(isLabel[i - 1] && isKept[i - 1]));
    const listOf = blocks.map(({ holder }) => listAround(holder));
    const lists = new Set(
      listOf.filter((list, i) => {
        const isAnnounced = firsts.has(i) || (isValue[i] && isUnlinked(i));
        // An item may have a heading of its own.
        return list && isAnnounced && !list.contains(blocks[i - 1]?.holder ?? null);
      }),
    );
    return isKept.map((isOwn, i) => {
      const isAnnounced = firsts.has(i) || leads.has(i) || isValue[i] || lists.has(listOf[i] ?? null);
      return isOwn || Boolean(isAnnounced || (isLabel[i] && isKept[i + 1]));
    });
  }

  /**
   * @param {boolean[]} isHeading
   * @param {boolean[]} isKept
   * @returns {[heading: number, end: number][]} the kept headings under which nothing is kept up to the next one or the end
   */
  function bareSections(isHeading, isKept) {
    const headings = isHeading.flatMap((isOwn, i) => (isOwn ? [i] : []));
    return headings.flatMap((heading, k) => {
      const end = headings[k + 1] ?? isKept.length;
      const isBare = isKept[heading] && !isKept.slice(heading + 1, end).includes(true);
      return isBare && end > heading + 1 ? [[heading, end]] : [];
    });
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {number} heading
   * @param {number} end of its section
   * @returns {number[]} the sentences there, which say what the section, or the page, is about
   */
  function sentencesBelow(blocks, heading, end) {
    const [first, next] = [blocks[heading], blocks[heading + 1]];
    const section = first && next ? aroundBoth(first.holder, next.holder) : null;
    return blocks.slice(heading + 1, end).flatMap(({ holder, text, linked }, i) => {
      const isSentence = text.length >= MIN_SENTENCE && SENTENCE_END.test(text) && linked <= FEW_LINKS;
      return isSentence && section?.contains(holder) ? [heading + 1 + i] : [];
    });
  }

  /** @param {Text} node */
  function isPartOfForm({ data, parentElement }) {
    return !data.trim() || Boolean(parentElement?.closest(PARTS_OF_FORM));
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isKept
   * @returns {number} the number of characters kept
   */
  function lengthOf(blocks, isKept) {
    return blocks.reduce((sum, { text }, i) => sum + (isKept[i] ? text.length : 0), 0);
  }

  /**
   * @param {ReturnType<typeof blocksOf>["blocks"]} blocks
   * @param {boolean[]} isContent
   * @returns {boolean[]} the same, but all or nothing for each data table
   */
  function withWholeTables(blocks, isContent) {
    /** @type {Map<Element, {all: number, content: number, body: number, linked: number}>} */
    const tables = new Map();
    const tableOf = blocks.map(({ holder }) => dataTableOf(holder));
    blocks.forEach(({ text: { length }, linked, holder }, i) => {
      const table = tableOf[i];
      if (!table) return;
      const before = tables.get(table) ?? { all: 0, content: 0, body: 0, linked: 0 };
      const content = before.content + (isContent[i] ? length : 0);
      // Links in the head sort the table.
      const body = holder.closest(HEADS) ? 0 : length;
      tables.set(table, {
        all: before.all + length,
        content,
        body: before.body + body,
        linked: before.linked + linked * body,
      });
    });
    const last = isContent.findLastIndex((isOwn, i) => isOwn && !tableOf[i]);
    return isContent.map((isOwn, i) => {
      const table = tableOf[i];
      const size = table && tables.get(table);
      if (!size) return isOwn;
      const isInside = i < last && hasColumnHeaders(table);
      return isInside || size.content >= MIN_TABLE * size.all || size.linked < FEW_LINKS * size.body;
    });
  }

  return { examine, read };
})();

globalThis.chromeTabMainContent = mainContent;
