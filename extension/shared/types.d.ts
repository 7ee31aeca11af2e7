// The shapes that cross a border: the wire (docs/design/protocol.md), the page function, the popup's port and
// chrome.storage. Everything else is typed where it is written.

import type { Activity } from "../background/activity-log.js";
import type { Attachments } from "../browser/attachments.js";
import type { CommandSession } from "../browser/debugger/command-session.js";
import type { SessionPool } from "../browser/debugger/session-pool.js";
import type { SessionRateLimiter } from "../background/rate-limit.js";
import type { ChosenPreferences } from "../background/preferences.js";
import type { SidePanelChat } from "../background/side-panel-chat.js";
import type { ConsentPrompts } from "../browser/consent-prompts.js";
import type { SiteRules } from "../browser/site-rules.js";
import type { ERROR_CODES } from "./errors.js";
import type { MessageKey } from "./messages.js";

export type ErrorCode = (typeof ERROR_CODES)[number];

// --- Wire: extension -> server

export type ClientMessage =
  | { type: "hello"; protocol: number; version: string; nonce: string; browser: ProfileDescription; missing?: string[] }
  | { type: "proof"; proof: string }
  | { type: "ping" }
  | PromptMessage
  | Response
  | TabEvent;

/** This browser profile, to distinguish it from the others that are connected to the same server. */
export interface ProfileDescription {
  id: string;
  /** Random for each run of the browser. */
  run: string;
  /** The browser's own name. */
  kind: string;
  /** The name that the user has chosen; empty for the browser's. */
  name: string;
  /** When the user looked at it last, in milliseconds; 0 if unknown. */
  looked_at: number;
}

/** A message from the side panel; docs/design/protocol.md, "Side panel". */
export type PromptMessage = { type: "prompt" } & (
  | {
      prompt: {
        id: string;
        conversation: string;
        text: string;
        tab_ids: number[];
        model: string | null;
        confirmed?: true;
      };
    }
  | { read_ahead: { conversation: string; tab_id: number; model: string | null } }
  | { stop: string }
  | { clear: string }
  | { models: string }
);

export interface Response {
  id: string;
  type: "response";
  success: boolean;
  result: unknown;
  error: { message: string; code: ErrorCode } | null;
}

export type TabEvent = { type: "event" } & (
  | { event: "tab_attached"; tab_id: number; url: string; title: string; connected_at: string }
  | { event: "tab_updated"; tab_id: number; url: string; title: string }
  | { event: "tab_detached"; tab_id: number }
  | { event: "looked_at"; at: number }
  | { event: "renamed"; name: string }
);

// --- Wire: server -> extension

export interface Command {
  id: string;
  type: "command";
  command: string;
  tab_id: number | null;
  params: Record<string, unknown>;
  /** The session that sent it; null for the user, through our own pages. */
  session: Session | null;
}

export interface Session {
  /** A few characters, unique among the sessions. */
  id: string;
  /** The client's name for itself, as one printable line; empty if unknown. */
  client: string;
}

export interface SessionsEvent {
  type: "event";
  event: "sessions";
  sessions: number;
  /** Names of their clients, as far as known. */
  clients: string[];
  /** The name of this profile, and how many are connected. */
  name?: string;
  browsers?: number;
}

// --- Commands: their results

/** Something on the page that its text omits; the server has a sentence for each code. */
export interface PageNote {
  code: string;
  count?: number;
  total?: number;
}

export interface TabText {
  tab_id: number;
  text: string;
  url: string;
  title: string;
  /** Whether the tab is incognito, so that nothing of it may be stored. */
  incognito: boolean;
  content?: MainContentReport;
  /** What the text omits. */
  notes?: PageNote[];
  /** Number of lines removed because the text already contains them. */
  repeated?: number;
  /** Headings: offset of each line in the text, in code points, and its level. */
  headings?: [offset: number, level: number][];
}

/** A passage that is highlighted now; `matches` counts its occurrences, `in_view` is about the first one. */
export interface HighlightedText {
  tab_id: number;
  matches: number;
  in_view: boolean;
  url: string;
  title: string;
}

/** How the main content was found; `left_out` counts characters of the page. */
export interface MainContentReport {
  path: "article" | "blocks" | "noscript" | "whole";
  left_out: number;
  note: string;
}

export interface TabInfo {
  id: number;
  url: string;
  title: string;
  active: boolean;
  windowId: number;
  /** Only for a tab in an incognito window. */
  incognito?: true;
}

export interface CreatedTab {
  tab_id: number;
  url: string;
  title: string;
  /** That the page is still loading. */
  notes?: string[];
}

export interface PageElements extends PageAddress {
  /** One line for each element, at most 4,000 characters. */
  text: string;
  /** Elements that can be acted on. */
  total: number;
  /** How many of these have their own line here. */
  shown: number;
  /** Null at the end of the list. */
  next_offset: number | null;
}

export interface AttachedTab {
  tab_id: number;
  url: string;
  title: string;
  /** ISO 8601. */
  connected_at: string;
}

export interface DataLayer {
  name: string;
  /** JSON; a value that JSON cannot represent is a text in brackets, for example "[Function track]". */
  values: unknown[];
  /** Entries in the page; `values` may contain fewer. */
  total: number;
  /** Index of the first of `values`. */
  since: number;
  /** Number of redactions of each kind in `values`, where `[kind]` replaces the text. */
  redacted: Record<string, number>;
  /** What was left out or could not be read, as sentences. */
  notes: string[];
}

export type TabWithId = chrome.tabs.Tab & { id: number };

/** What the user must have agreed to before a command runs; browser/consent.js. */
export type Consent = "paired" | "attached" | "evaluate";

/** How a command uses the debugger of its tab; browser/debugger/command-session.js. */
export type DebuggerUse = "nothing" | "observe" | "read" | "interact" | "navigate";

/** A parameter in commands.json: a JSON Schema, and how forms show it. */
export interface ParameterDescription {
  type?: string;
  enum?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  /** Which side uses it, if not both. */
  for?: "server" | "extension";
  /** Missing if no form shows it. */
  form?: {
    hint: MessageKey;
    /** If the type does not determine it. */
    kind?: "code" | "lines";
    /** It may contain a password, so no history stores it. */
    secret?: boolean;
    /** An empty text is a value. */
    empty?: boolean;
    /** It is the id of the command's tab. */
    tab?: boolean;
  };
}

/** A command in commands.json. */
export interface CommandDescription {
  consent: Consent;
  /** Whether it works on a tab's page: then it gets a permitted tab, and waits for its turn there. */
  page?: boolean;
  debugger: DebuggerUse;
  /** Whether it waits for the user: its timeout does not include that time. */
  asks?: boolean;
  /** `private`: it returns data of the page or of other tabs, so no history stores it. */
  form: { group: MessageKey; about: MessageKey; private?: boolean };
  required?: string[];
  parameters: Record<string, ParameterDescription>;
}

/** One row of the command table. */
export interface CommandEntry extends CommandDescription {
  run: (context: DrivenContext) => Promise<unknown>;
}

export interface CommandContext {
  /** The chosen tab; for a command without a page, the tab that the server named, or -1. */
  tabId: number;
  params: Record<string, unknown>;
  /** The session that sent it; null for the user. */
  caller: Session | null;
  attachments: Attachments;
  sessionPool: SessionPool;
  consentPrompts: ConsentPrompts;
  preferences: ChosenPreferences;
  /** The user's rules for sites, applied to the command. */
  rules: SiteRules;
  /** Hosts whose frames must not be entered; shared/denied-hosts.js. */
  deniedHosts: string[];
  /** Identifies this run of the command, also in the page. */
  requestId: string;
  /** Aborted when the command is over for its caller: timed out, canceled, or without its tab. */
  signal: AbortSignal;
}

/** What a command that acts gets in addition. */
export interface DrivenContext extends CommandContext {
  session: CommandSession;
  /** Whether the action is one of several that are reported together. */
  isPart?: boolean;
  /** Whether it is the last of them. */
  isLast?: boolean;
}

/** The worker's objects. */
export interface Services {
  attachments: Attachments;
  sessionPool: SessionPool;
  consentPrompts: ConsentPrompts;
  preferences: ChosenPreferences;
  sidePanelChat: SidePanelChat;
  activity: Activity;
  rateLimiter: SessionRateLimiter;
}

/** A request of an agent to the user. Each text is one printable line, and untrusted. */
export interface ConsentPrompt {
  id: string;
  kind: "attach" | "act";
  tabId: number;
  /** Title of the page at the time of the request. */
  title: string;
  site: string;
  client: string;
  /** Id of the session; empty if there is none. */
  session: string;
  /** attach: the client's reason; act: the command. */
  reason: string;
}

/** Added to the result of a command that drives a page. */
export interface Remarks {
  /** Sentences. */
  notes?: string[];
  dialogs?: DialogReport[];
}

export interface DialogReport {
  /** alert, confirm, prompt or beforeunload. */
  type: string;
  message: string;
  answer: "accepted" | "dismissed";
}

export interface PageAddress {
  url: string;
  title: string;
}

export interface Navigated extends PageAddress {
  /** HTTP status; null for a page that came from the browser's cache, or not from a server. */
  status: number | null;
}

export interface Evaluated extends PageAddress {
  /** JSON; a value that JSON cannot represent is a text in brackets, as in a data layer. */
  value: unknown;
}

export interface ConsoleEntry {
  /** ISO 8601. */
  timestamp: string;
  level: "debug" | "log" | "info" | "warn" | "error";
  message: string;
  /** Of the page in the frame that wrote it; empty if unknown. */
  url: string;
}

export interface ConsoleLogs {
  /** Newest first. */
  entries: ConsoleEntry[];
  /** Sentences. */
  notes?: string[];
  /** Number since the tab was attached. */
  total: number;
}

/** A request in the worker's log. */
export interface LoggedRequest {
  id: string;
  /** The browser's id for it; redirects share one. */
  requestId: string;
  /** The debugger's session of the cross-origin frame that sent it. */
  frame?: string;
  /** URLs of the pages that may have sent it, the likeliest first; an empty one is unknown. */
  pages: string[];
  /** Whether it was redirected: the next request has the same `requestId`. */
  isRedirect?: boolean;
  method: string;
  /** In lower case: document, script, xhr, fetch, ping ... */
  type: string;
  url: string;
  /** Body of an analytics hit; empty for other requests. */
  sent: string;
  /** Seconds, by the browser's own clock. */
  startedAt: number | null;
  /** Milliseconds, as Date.now(). */
  begunAt: number;
  status: number | null;
  mimeType: string;
  /** Bytes transferred. */
  size: number | null;
  /** Milliseconds. */
  time: number | null;
  /** Why it failed; empty if it did not. */
  error: string;
}

/** A request in a list: private data is redacted. */
export interface ShownRequest extends Pick<
  LoggedRequest,
  "id" | "method" | "status" | "type" | "size" | "time" | "url"
> {
  /** URL of the page that sent it. */
  page: string;
  error?: string;
  /** Of an analytics hit, whose `url` then has no query. */
  params?: Record<string, unknown>;
  /** If it describes several. */
  events?: Record<string, unknown>[];
  /** Of the requested one; null if it is not text. */
  body?: string | null;
  /** Sentences. */
  notes?: string[];
}

export interface NetworkRequests {
  /** Newest first. */
  entries: ShownRequest[];
  /** Sentences. */
  notes?: string[];
  /** Number since the tab was attached. */
  total: number;
}

export interface Screenshot {
  /** Base64. */
  data: string;
  mime_type: "image/png" | "image/webp" | "image/jpeg";
  /** Pixels of the image. */
  width: number;
  height: number;
  /** Then it is not stored. */
  incognito: boolean;
}

// --- The page functions (page/read-page.js, page/write-json.js)

export interface PageReading {
  code: "" | ErrorCode;
  message: string;
  text: string;
  url: string;
  title: string;
  content?: MainContentReport;
  notes?: PageNote[];
  repeated?: number;
  headings?: [offset: number, level: number][];
}

/** What page/pdf-text.js uses of pdf.js. */
export interface PdfDocument {
  numPages: number;
  getPage(number: number): Promise<{ getTextContent(): Promise<{ items: PdfTextItem[] }>; cleanup(): void }>;
  getAnnotationsByType(types: Set<number>, pageIndexesToSkip: Set<number>): Promise<PdfAnnotation[] | null>;
}

/** A form field, or something that was added to a page. */
export interface PdfAnnotation {
  pageIndex: number;
  subtype: string;
  hidden?: boolean;
  annotationFlags: number;
  password?: boolean;
  /** "Tx": text, "Ch": choice, "Btn": a button of any kind. */
  fieldType?: string;
  fieldName?: string;
  alternativeText?: string;
  fieldValue?: string | string[] | null;
  checkBox?: boolean;
  radioButton?: boolean;
  /** The value of a checked box, and of a chosen radio button. */
  exportValue?: string;
  buttonValue?: string;
  contentsObj?: { str: string };
}

/** The last two numbers of `transform` are the position of the text, from the bottom left of its page. */
export interface PdfTextItem {
  str: string;
  hasEOL: boolean;
  transform: number[];
  width: number;
  height: number;
}

export interface JsonRequest {
  /** A global, or a path to a member of one: `digitalData.events`. Empty if `value` is given. */
  name: string;
  /** Index of the first entry to return; -1 for the newest. */
  since: number;
  value?: unknown;
  limits: JsonLimits;
}

export interface JsonLimits {
  depth: number;
  /** Of the global and of each list in it. */
  entries: number;
  /** Of each object. */
  keys: number;
  /** Characters of one text. */
  text: number;
  /** Characters of the whole as JSON; the last key and the last text may exceed it. */
  total: number;
  milliseconds: number;
}

/** How many things of each kind were left out. */
export interface JsonCuts {
  text: number;
  members: number;
  depth: number;
  unreadable: number;
  /** Whether the limit of the total size, or of the time, was reached. */
  total: boolean;
  time: boolean;
}

/** The page function returns this as JSON. */
export type WrittenJson =
  | { found: true; values: unknown[]; total: number; since: number; cuts: JsonCuts }
  | { found: false; candidates: string[] };

// --- Acting on elements (page/interaction/, browser/element-target.js)

/** What to do with an element once it can be acted on. */
export type ElementAction =
  | { action: "show"; selector: string }
  | { action: "hover"; selector: string; at?: [number, number] }
  /** `isStep`: a part of an action that has already begun. */
  | { action: "click"; selector: string; count: number; at?: [number, number]; isStep?: boolean }
  /** The dragged element, and its destination. */
  | { action: "drag" | "place"; selector: string; at?: [number, number] }
  | { action: "upload"; selector: string; count: number }
  | ({ action: "check"; after?: FieldsBefore } & FormField)
  /** With an empty selector: the element that has the focus. */
  | { action: "focus"; selector: string }
  /** With an empty selector: the page. */
  | { action: "scroll"; selector: string; to?: ScrollGoal }
  | { action: "fill"; selector: string; value: string }
  | { action: "select"; selector: string; values: string[] };

/** A number is a distance down, in pixels. */
export type ScrollGoal = "top" | "bottom" | "left" | "right" | number;

/** All conditions must hold; an empty one is not checked. */
export interface WaitRequest {
  id: string;
  selector: string;
  text: string;
  gone: string;
  /** Milliseconds left. */
  timeout: number;
  /** Milliseconds in all. */
  whole: number;
  /** For a page in a cross-origin frame: the frame's selector, starting at the main frame. */
  way?: string;
}

export type WaitAnswer =
  | { code: ErrorCode; message: string }
  | { code: ""; element?: ElementDescription; matches?: number; notes?: string[] }
  | FoundFrames;

export interface FormField {
  selector: string;
  value: string | boolean | string[];
}

/** What precedes a field in its form and may enable it; only a choice also changes the options of a list. */
export type FieldsBefore = "" | "field" | "choice";

/** How a field of a form is written. */
export interface FormWay {
  way: "click" | "select" | "choose" | "fill";
  /** Of something checkable: its state. Missing for a web component, whose state only the browser may know. */
  checked?: boolean;
  /** Of a text field: its value, and whether that is the requested one. */
  value?: string;
  isSame?: boolean;
  /** Of a field without text of its own: the values that it shows. */
  shown?: string[];
  /** What the page or the browser objects to in its value, as a sentence, or empty. */
  complaint?: string;
  /** False if the pickers that had opened for it are closed. */
  mayHavePicker?: boolean;
}

export type ElementRequest = ElementAction & {
  isStep?: boolean;
  /** Whether the action is one of several that are reported together. */
  isPart?: boolean;
  /** Where the mouse rests, before it comes to the element. */
  mouse?: Point;
  id: string;
  /** Milliseconds for the element to appear, and to become ready. */
  limits: { find: number; ready: number };
  /** Whether its window shows the tab. */
  isInFront: boolean;
  /** For a page in a cross-origin frame: the frame's selector, starting at the main frame. */
  way?: string;
  /** How often its element was found, but was out of sight in the page around it. */
  tries?: number;
};

export type ElementAnswer = { code: ErrorCode; message: string } | FoundElement | FoundFrames;

/** Requests about the element of an action; page/interaction/action-looks.js answers them. */
export type ElementLook =
  | "awaitMouse"
  | "awaitList"
  | "finishFill"
  | "finishScroll"
  | "frameFound"
  | "nextDrawing"
  | "readChanges"
  | "readChecked"
  | "readDrag"
  | "readDrop"
  | "readMoved"
  | "readNotations"
  | "readTransitions"
  | "readField"
  | "readFiles"
  | "readPressed"
  | "operate"
  | "paste"
  | "readSelected";

/** Cross-origin frames, in which the rest of the selector must be searched. */
export interface FoundFrames {
  code: "";
  rest: string;
  frames: CrossOriginFrame[];
}

/** A cross-origin frame, as the page around it sees it. */
export interface CrossOriginFrame extends FrameTraits {
  /** Starting at the main frame. */
  selector: string;
}

/** What distinguishes a cross-origin frame from others, without a name. */
export interface FrameTraits {
  /**
   * Indexes of the frames on the path from the main frame, each in its parent; -1 in a shadow root, -2 if its window
   * cannot be reached.
   */
  path: number[];
  /** The `src` of its element. */
  src: string;
  /** Of its viewport, in CSS pixels. */
  width: number;
  height: number;
}

/** Asks a page where something in one of its frames is drawn. */
export interface FramedRequest {
  /** Of the search. */
  id: string;
  /** Index of the frame. */
  index: number;
  isInFront: boolean;
  /** How often the mouse will be pressed there. */
  presses: number;
  /** In the viewport of the frame. */
  point?: Point;
  box?: Box;
}

/** The same point in the main frame's viewport, or box in its document; or why it cannot be used. */
export interface PlacedOutside {
  /** A sentence that starts with the frame; empty if there is none. */
  trouble: string;
  point?: Point;
  box?: Box;
  /** As of a FoundElement. */
  pinch?: Point;
}

/** The element acted on, for the reply. */
export interface ElementDescription {
  /** Matches only this element, also in shadow roots and frames. */
  selector: string;
  tag: string;
  /** What a user reads on it or next to it, at most 60 characters. */
  text: string;
}

/** The state of the element that had the focus, after the keys. */
export interface PressedState {
  checked?: boolean;
  /** Of a field. */
  value?: string;
  /** Of a list. */
  selected?: { value: string; label: string }[];
  /** The element that has the focus now, if it is another one. */
  focused?: ElementDescription;
}

export interface FoundElement {
  code: "";
  element: ElementDescription;
  /** Number of elements that the selector matches. */
  matches: number;
  notes?: string[];
  /** Outline of the element in the viewport; only if it is in the main frame. */
  outline?: Box;
  /** click, hover, drag, place: a point in the viewport that hits the element, in CSS pixels. */
  point?: Point;
  /** check; `isLater`: whether it may depend on a field before it, such as a disabled one. */
  form?: FormWay;
  isLater?: boolean;
  /** upload: whether it is a file field, not a button that opens a file chooser. */
  isFileField?: boolean;
  /** drag: the top left corner of the element's first box in the viewport. */
  corner?: Point;
  /** click: whether the element is checkable; `readChecked` reads its state. */
  isCheckable?: boolean;
  /** show: the element's place in the document of the main frame, in CSS pixels. */
  box?: Box;
  filling?: Filling;
  /** How far the window is scrolled in a page that the user has magnified; 0, 0 if left out. */
  pinch?: Point;
  /** Whether another element is below the mouse now. */
  isMouseStale?: boolean;
  /** fill, select: a field that takes no text, and is operated instead. */
  widget?: WidgetKind;
  /** scroll: the wheel event to send, at a point where it scrolls only this. */
  wheel?: { point: Point; deltaX: number; deltaY: number };
  /** select: the current choice. */
  selected?: { value: string; label: string }[];
}

/** A scroll position, in CSS pixels. */
export interface Scrolled {
  top: number;
  left: number;
  height: number;
  width: number;
  visible_height: number;
  visible_width: number;
  /** Whether the element is still out of view; only for the worker. */
  isOut?: boolean;
}

/** How to fill a field that has the focus, and whose content is selected, or already set. */
export interface Filling {
  /** The intended value. */
  text: string;
  /** Whether it must be typed. */
  isTyped: boolean;
  /**
   * How it is typed: at once; at once into an editor that draws its own text; key by key; or paragraph by paragraph,
   * where keys must delete what the field holds, and begin each paragraph.
   */
  way: "whole" | "drawn" | "keys" | "paragraphs";
  /** Whether Enter follows. */
  isEntered: boolean;
  /** Whether it is a date or a time, and one field follows that may be the end of the same period. */
  isStart: boolean;
  /** Whether it is the last field of a period whose first one is filled. */
  isEnd: boolean;
  /** The day that the text names, such as 2026-03-05, for a field that may open a calendar; otherwise empty. */
  day: string;
  /** The time that it names after that day, such as 09:30; otherwise empty. */
  time: string;
  /** The days that the text may name: two if it is not clear which number is the month. */
  days: string[];
  /** Whether the field is read-only: its day must be picked in its calendar. */
  isReadOnly: boolean;
}

/** A field that takes no text of its own. */
export type WidgetKind = "list" | "slider" | "spinbutton" | "segments";
export type WidgetLook =
  | "list"
  | "calendar"
  | "cell"
  | "dated"
  | "time"
  | "opener"
  | "complaint"
  | "selector"
  | "branch"
  | "clearer"
  | "remover"
  | "hold"
  | "show"
  | "number"
  | "segments"
  | "segment"
  | "track"
  | "rewind"
  | "scroll"
  | "focus"
  | "focusList"
  | "leave"
  | "near";
export type DatePart = "year" | "month" | "day" | "hour" | "minute" | "second" | "half";

export interface ListState {
  isOpen: boolean;
  /** Whether a calendar is open instead, for a date. */
  isForDates: boolean;
  /** Whether the list is part of the page. */
  isAlwaysOpen: boolean;
  /** Whether it declares its list open, even without options. */
  isExpanded: boolean;
  isMultiple: boolean;
  /** Whether a text can be typed into it. */
  isEditable: boolean;
  /** Whether its open list has a search field of its own, which has the focus. */
  isSearched: boolean;
  /** Whether the mouse can reach it: some fields only take the keys. */
  isReachable: boolean;
  /** The texts that represent its value. */
  shown: string[];
  /** Whether one of them is the requested time, in any notation. */
  hasTime: boolean;
  /** Those of them that can be removed one by one. */
  chips: string[];
  /** The labels of the selected options, if the list is open. */
  selected: string[];
  /** Those of them that are neither requested nor follow from one that is. */
  others: string[];
  typed: string;
  /** The first options, and how many there are. */
  listed: string[];
  total: number;
  /** The option that the keys have reached. */
  active: string;
  /** The requested option. */
  option?: {
    selector: string;
    /** Selector of the checkbox in it; empty if there is none. */
    box: string;
    label: string;
    isSelected: boolean;
    isDisabled: boolean;
    /** Whether it is an open branch of a tree. */
    isExpanded: boolean;
    /** Selector of what opens it without choosing it; empty if nothing does. */
    toggle: string;
  };
}

export interface NumberState {
  isNative: boolean;
  /** Whether digits can be typed into it. */
  isTyped: boolean;
  now: number | null;
  /** The value in words. */
  text: string;
  min: number | null;
  max: number | null;
  step: number | null;
  /** The values of the thumbs before and after it on the same track. */
  low: number | null;
  high: number | null;
}

/** What to list; empty texts for the whole page. */
export interface ListRequest {
  find: string;
  within: string;
  /** Number of lines to skip. */
  offset: number;
  /** For a page in a cross-origin frame: the frame's selector, starting at the main frame. */
  way?: string;
  /** Lines of the page's cross-origin frames, by their selectors, once known. */
  framed?: Record<string, ListLine[]>;
  /** Selectors of the frames that are left out. */
  leftOut?: string[];
  /** Whether to return lines, for the list of the page around this one. */
  isFramed?: boolean;
  /** Selectors of the frames that have not answered, also of nested ones. */
  silent?: string[];
  /** Signs that the page is incomplete, from the worker. */
  loading?: string[];
}

export interface ListLine {
  text: string;
  /** 0 for an element to act on; of the others, higher ranks are left out first. */
  rank: number;
  /** Whether it is a single element to act on. */
  isThing: boolean;
}

export type ListAnswer =
  | { code: ErrorCode; message: string }
  | FoundFrames
  | { code: ""; lines: ListLine[] }
  | ({ code: "" } & Omit<PageElements, keyof PageAddress> & ListedPage);

export interface ListedPage {
  /** Whether the first content is still to come. */
  isAwaited: boolean;
}

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

/** What a mouse press hit. */
export interface PressOutcome {
  /** Whether the page's watch saw it. */
  isSeen: boolean;
  /** Whether no listener saw it, and no element can have taken it for itself. */
  isLost: boolean;
  /** Name of what was hit instead of the element; empty if nothing was. */
  cover: string;
  /** Whether that was pressed: in pages that the extension can watch, a press that misses has no effect. */
  isPressed: boolean;
  /** Name of what covered the element when the mouse was released; empty if nothing did. */
  release: string;
}

/**
 * The result of a drag after the release: only the mouse moved; the browser's drag and drop was accepted, was refused
 * or has not ended; or the element is draggable, but no drag and drop began.
 */
export type DragOutcome = "mouse" | "dropped" | "refused" | "unfinished" | "unstarted";

/** What a drag has moved. */
export interface DragWay {
  /** Whether nothing has moved. */
  isIdle: boolean;
  /** How far the dragged element has moved; empty if it has not. */
  way: string;
}

/** Files of a field after an upload. */
export interface HeldFiles {
  names: string[];
  /** Whether they are those of the upload. */
  isKept: boolean;
  /** Whether the page displays the name of one of those; only for a field without files. */
  isShown: boolean;
}

/** How to look at a field after typing. */
export interface FillLook {
  /** Whether the text may not have arrived yet. */
  isEarly?: boolean;
  /** When the text can be entered once more: if the field has changed it, or only if it has lost it. */
  mayRetype?: "" | "changed" | "lost";
  /** Whether its lines can be entered once more, each as a paragraph, if the field has joined them. */
  mayBreak?: boolean;
  /** Whether its day was picked in a calendar. */
  hasPicked?: boolean;
  /** Whether to leave the field although it may suggest. */
  mayLeave?: boolean;
}

/** A field after it was filled. */
export interface FilledField {
  value: string;
  /**
   * What to do next: look again once the text is typed; type key by key, because the field has lost a part of the text
   * (its content is selected again); enter each line as a paragraph (likewise); wait for suggestions; pick the day in
   * the open calendar; or press Tab or Enter, as users do to leave a field.
   */
  next: "" | "look" | "retype" | "break" | "suggest" | "pick" | "tab" | "enter";
  /** After the last step: whether the field keeps its text secret, and whether the page has kept it. */
  isSecret?: boolean;
  isKept?: boolean;
  /** Whether the page shows it as an invalid one of several values. */
  isRefused?: boolean;
  /** Whether a calendar was open that did not follow what was typed. */
  isUnread?: boolean;
  /** Whether a picker is still open for it. */
  hasPicker?: boolean;
  notes: string[];
  /** What the page or the browser objects to in the value, as a sentence, or empty. */
  complaint?: string;
  /** After the last step, unless Enter follows: what else has changed on the page. */
  changed?: string;
  /** If it has opened a list, which is operated next. */
  widget?: WidgetKind;
  /** Whether what was typed only searches that list: the page drops it, or keeps the list open when the field is left. */
  isSearch?: boolean;
}

/** The reply of an action on an element. */
export interface ActionReply extends PageAddress, Remarks, PressedState {
  element: ElementDescription;
  matches: number;
  /** What has appeared or disappeared, at most 200 characters. */
  changed?: string;
  scrolled?: Scrolled;
  /** upload: names. */
  files?: string[];
  /** drag: where it went. */
  target?: ElementDescription;
}

// --- Storage

export interface Pairing {
  /** Origin of the server, for example `ws://127.0.0.1:61822`. */
  server: string;
  port: number;
  key: string;
}

/** chrome.storage.local: what outlives the browser. */
export interface Settings {
  pairing: Pairing | null;
  /** False from the moment the user presses Disconnect until Reconnect or Connect. */
  wanted: boolean;
  autoReconnect: boolean;
  /** Those of the server that was connected last. */
  commands: Partial<ServerCommands>;
}

/** Command lines that work in any folder. */
export interface ServerCommands {
  setup: string;
  doctor: string;
  /** Starts a server for the side panel alone. */
  serve: string;
  /** Adds the server to Claude Code. */
  claude: string;
}

/** chrome.storage.local: what the user has chosen in the options page. */
export interface Preferences {
  /** Whether attached tabs are grouped in the tab strip. */
  group: boolean;
  /** Whether the element acted on is outlined. */
  outline: boolean;
  /** Whether the activity log is kept. */
  log: boolean;
  /** Whether the side panel reads the page when the user begins to type. */
  readAhead: boolean;
  /** The sustained rate for one session. */
  commandsPerSecond: number;
  /** Patterns as in [sites]. */
  deniedHosts: string[];
  /** What the user calls this browser profile; empty for the browser's own name. */
  browserName: string;
}

/** chrome.storage.local: a command and its outcome. */
export interface ActivityEntry {
  /** ISO 8601, when it came. */
  time: string;
  /** Both are empty for the user. */
  session: string;
  client: string;
  /** Null if unknown. */
  tab_id: number | null;
  /** Host of the tab. */
  site: string;
  command: string;
  code: "" | ErrorCode;
  milliseconds: number;
}

/** chrome.storage.session: what outlives the worker only. */
export interface Attachment {
  /** ISO 8601. */
  connectedAt: string;
  /** The origin for which the client may run JavaScript; empty for none. */
  evaluateOn: string;
  /** The same for showing private values. */
  privateOn: string;
}

/** chrome.storage.local: what the DevTools panel remembers. */
export interface PanelMemory {
  /** Newest first. */
  history: PastRun[];
  /** In the order of their names. */
  saved: SavedCommand[];
}

export interface PastRun {
  id: string;
  /** ISO 8601. */
  time: string;
  command: string;
  /** Null if they were too long to store. */
  params: Record<string, unknown> | null;
  /** Names of parameters whose values are not stored. */
  withheld: string[];
  code: "" | ErrorCode;
  milliseconds: number;
  /** The beginning of the reply, or the error's sentence. */
  reply: string;
}

export interface SavedCommand {
  name: string;
  command: string;
  params: Record<string, unknown>;
}

// --- Connection state

export type CloseReason =
  /** Nothing listens on the port. */
  | "unreachable"
  /** A program listens there, but does not respond. */
  | "no_answer"
  /** A program responds there, but does not accept our WebSocket. */
  | "foreign"
  /** Servers do not accept the id of this copy. */
  | "wrong_copy"
  | "wrong_key"
  | "other_protocol"
  /** Eight browsers are connected. */
  | "too_many"
  /** The server has ended an open connection. */
  | "closed";

export interface Status {
  /** "paired": no client is open, which is not an error. "disconnected": by the user, or because of `failure`. */
  state: "setup" | "connected" | "paired" | "disconnected";
  paired: boolean;
  port: number | null;
  sessions: number;
  /** Names of their clients, as far as known. */
  clients: string[];
  failure: CloseReason | null;
  autoReconnect: boolean;
  /** While connected: the server's version, and since when (ISO 8601); empty otherwise. */
  serverVersion: string;
  connectedAt: string;
  /** Why the connection ended or could not be made the last time; `at` as ISO 8601. */
  lastFailure: PastFailure | null;
  /** The name of this profile for clients, empty while not connected; how many are connected; whether it is a copy. */
  name: string;
  browsers: number;
  isCopy: boolean;
  /** Of the server that was connected last; empty before the first one. */
  commands: Partial<ServerCommands>;
}

export interface PastFailure {
  reason: CloseReason;
  at: string;
}

// --- The port of our own pages: the popup and the DevTools panel

export type PageRequest = Action | WatchRequest | HighlightRequest | RunRequest | SidePanelRequest;

export type Action =
  | { action: "refresh" }
  | { action: "connect"; connectionString: string }
  | { action: "disconnect" }
  | { action: "reconnect" }
  | { action: "unpair" }
  | { action: "set_auto_reconnect"; on: boolean }
  | { action: "attach"; tabId: number }
  | { action: "detach"; tabId: number }
  | { action: "set_allow_evaluate"; tabId: number; on: boolean }
  | { action: "set_show_private"; tabId: number; on: boolean }
  | { action: "stop" }
  | { action: "answer_request"; id: string; allowed: boolean };

/** From now on, send this page updates about this tab instead of the viewed one, and its console. */
export interface WatchRequest {
  action: "watch";
  tabId: number;
}

/** Outline this element in the page, or none if there is no selector. */
export interface HighlightRequest {
  action: "highlight";
  tabId: number;
  selector: string;
}

/** A command of the table, under the same rules as one that the server sends. */
export interface RunRequest {
  action: "run";
  id: string;
  command: string;
  tabId: number | null;
  params: Record<string, unknown>;
  /** For a command that reads: it changes nothing, and leaves an open dialog to the user. */
  observe?: boolean;
}

/** A question about tabs. The text of a single tab is kept for the whole conversation. */
export interface PromptRequest {
  action: "prompt";
  id: string;
  conversation: string;
  text: string;
  tabIds: number[];
  /** Null for the configured one. */
  model: string | null;
  /** The user has allowed sending the page to the computer that runs this model. */
  confirmed?: true;
}

/** The user has begun to type a conversation's first question: the server may read the tab, if that option is on. */
export interface ReadAheadRequest {
  action: "read_ahead";
  conversation: string;
  tabId: number;
  model: string | null;
}

export type SidePanelRequest =
  | PromptRequest
  | ReadAheadRequest
  /** List the server's models. */
  | { action: "models"; id: string }
  /** Stop this answer. */
  | { action: "stop_answer"; id: string }
  /** End this conversation. */
  | { action: "clear_conversation"; conversation: string };

export type PageMessage = View | Refusal | ConsoleBatch | Response | AnswerEvent;

/** The progress of a question, or its end. */
export interface AnswerEvent {
  type: "event";
  event: "answer";
  id: string;
  state: "reading" | "writing" | "done" | "failed" | "models";
  /** Of "reading": progress, and the current step. */
  percent?: number;
  step?: ServerSentence & { tokens: number; seconds: number };
  /** Of "writing" and "done": the whole answer as far as it is written, in Markdown. */
  text?: string;
  /** Of "done": what was read, and what is missing from the answer. */
  receipt?: AnswerReceipt;
  notes?: ServerSentence[];
  /** Of "done": how many figures were found where, and the places in `text` of the doubtful ones. */
  checked?: AnswerCheck;
  /** Of "done": the passage that supports each sentence of `text`, in order. */
  evidence?: AnswerEvidence[];
  /** Of "failed": the server's error, or the extension's reason. */
  error?: { message: string; code: string };
  reason?: "not_connected" | "stopped" | "lost" | "silent";
  /** Of "failed": the question can be repeated once the user confirms this model; the host is empty if unknown. */
  confirm?: { model: string; host: string };
  /** Of "models": their names, the hosts of those that run elsewhere, and the configured one. */
  models?: string[];
  cloud?: Record<string, string>;
  model?: string;
}

/** A sentence of the server, which side-panel/server-texts.js translates. */
export interface ServerSentence {
  /** Empty if there is only an English text. */
  code: string;
  values?: Record<string, any>;
  text?: string;
}

export interface AnswerReceipt {
  model: string;
  /** Where the model runs, if that is not this computer. */
  model_host?: string;
  seconds: number;
  characters_read: number;
  page_characters: number;
  /** Requests to the model that the text was split into. */
  chunks: number;
  /** Of an answer over several tabs. */
  tabs?: number;
}

/** Where a figure was found: in the passage for its sentence, elsewhere on the page, only in the prompt, or nowhere. */
export type CheckResult = "on_page" | "elsewhere" | "in_prompt" | "not_on_page";

export interface AnswerCheck {
  counts: Record<CheckResult, number>;
  figures: { result: "elsewhere" | "not_on_page"; start: number; end: number }[];
}

/** A sentence of an answer, by its place in `text`, and its passage; `offset` counts the page's Unicode characters. */
export interface AnswerEvidence {
  start: number;
  end: number;
  /** Untrusted text of the page; null if no support was found. */
  passage: string | null;
  offset?: number;
  tab_id?: number | null;
}

/** Oldest first. */
export interface ConsoleBatch {
  type: "console";
  entries: ConsoleEntry[];
  /** Whether it replaces all batches before. */
  isWhole: boolean;
  /** Number of earlier messages that were dropped. */
  gone: number;
}

export interface View {
  type: "view";
  status: Status;
  tab: ViewedTab | null;
  /** Open prompts, the oldest first. */
  requests: ConsentPrompt[];
  /** In the order in which they were attached. */
  attached: AttachedView[];
  /** Whether Stop would end something: a command, or an answer in the side panel. */
  isRunning: boolean;
}

export interface AttachedView {
  id: number;
  title: string;
  site: string;
}

/** The tab that the page's buttons act on. */
export interface ViewedTab {
  id: number;
  url: string;
  title: string;
  attached: boolean;
  allowEvaluate: boolean;
  showPrivate: boolean;
  incognito: boolean;
  /** Why it cannot be attached, as a sentence; empty if it can. */
  obstacle: string;
  /** Whether the user's settings keep it from clients and the side panel. */
  denied: boolean;
}

export interface Refusal {
  type: "refused";
  action: Action["action"];
  message: string;
}
