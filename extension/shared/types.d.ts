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
  /** When the user looked at it last, in milliseconds; 0 where that is not known. */
  looked_at: number;
}

/** What the user asks in the side panel; docs/design/protocol.md, "Side panel". */
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
  /** Who asks; null for the user, by our own pages. */
  session: Session | null;
}

export interface Session {
  /** A few characters that distinguish it from the others. */
  id: string;
  /** What its client calls itself, as one printable line; empty when unknown. */
  client: string;
}

export interface SessionsEvent {
  type: "event";
  event: "sessions";
  sessions: number;
  /** Names of their clients, as far as they are known. */
  clients: string[];
  /** The name of this profile, and how many are connected. */
  name?: string;
  browsers?: number;
}

// --- Commands: what each one answers

/** What a text does not hold of its page; the server has a sentence for each code. */
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
  /** Whether nothing of it may be kept. */
  incognito: boolean;
  content?: MainContentReport;
  /** What the text does not hold of the page. */
  notes?: PageNote[];
  /** How many lines were removed because the text has them already. */
  repeated?: number;
  /** Where the lines of headings begin in the text, in code points, each with its level. */
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
  /** There for a tab in an incognito window. */
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
  /** One line an element, at most 4,000 characters. */
  text: string;
  /** Elements that can be acted on. */
  total: number;
  /** Those of them that have a line of their own here. */
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
  /** JSON. What JSON has no word for is a text in brackets, for example "[Function track]". */
  values: unknown[];
  /** Entries in the page; `values` may hold fewer. */
  total: number;
  /** Index of the first of `values`. */
  since: number;
  /** How often each kind was redacted in `values`, where it stands as `[kind]`. */
  redacted: Record<string, number>;
  /** What was left out or could not be read, as sentences. */
  notes: string[];
}

export type TabWithId = chrome.tabs.Tab & { id: number };

/** What a command needs the user to have agreed to; browser/consent.js. */
export type Consent = "paired" | "attached" | "evaluate";

/** How a command uses the debugger of its tab; browser/debugger/command-session.js. */
export type DebuggerUse = "nothing" | "observe" | "read" | "interact" | "navigate";

/** What commands.json says of a command's parameter: a JSON Schema and how forms show it. */
export interface ParameterDescription {
  type?: string;
  enum?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  /** Who takes it, where not both do. */
  for?: "server" | "extension";
  /** Missing where no form shows it. */
  form?: {
    hint: MessageKey;
    /** Where the type does not decide it. */
    kind?: "code" | "lines";
    /** What is typed may be a password: no history keeps it. */
    secret?: boolean;
    /** An empty text is a value, too. */
    empty?: boolean;
    /** It names the tab that the command is about. */
    tab?: boolean;
  };
}

/** What commands.json says of a command. */
export interface CommandDescription {
  consent: Consent;
  /** Whether it works on the page of a tab: then it gets a tab that may be used, in its turn there. */
  page?: boolean;
  debugger: DebuggerUse;
  /** Whether it waits for an answer of the user: that time comes on top. */
  asks?: boolean;
  /** `private`: what it returns is of the page or of other tabs, so no history keeps it. */
  form: { group: MessageKey; about: MessageKey; private?: boolean };
  required?: string[];
  parameters: Record<string, ParameterDescription>;
}

/** One row of the command table. */
export interface CommandEntry extends CommandDescription {
  run: (context: DrivenContext) => Promise<unknown>;
}

export interface CommandContext {
  /** The chosen tab; for a command that works on no page the one that the server named, or -1. */
  tabId: number;
  params: Record<string, unknown>;
  /** Who asks; null for the user. */
  caller: Session | null;
  attachments: Attachments;
  sessionPool: SessionPool;
  consentPrompts: ConsentPrompts;
  preferences: ChosenPreferences;
  /** What the user's rules for sites say about the command. */
  rules: SiteRules;
  /** Hosts whose frames are not to be entered; shared/denied-hosts.js. */
  deniedHosts: string[];
  /** Names this run of the command, also inside the page. */
  requestId: string;
  /** Aborted when the command has ended for the caller: its time is up, its tab is gone, or it was cancelled. */
  signal: AbortSignal;
}

/** What a command that acts gets besides. */
export interface DrivenContext extends CommandContext {
  session: CommandSession;
  /** Whether the action is one of several that are reported together. */
  isPart?: boolean;
  /** Whether it is the last of these. */
  isLast?: boolean;
}

/** What the worker holds while it lives. */
export interface Services {
  attachments: Attachments;
  sessionPool: SessionPool;
  consentPrompts: ConsentPrompts;
  preferences: ChosenPreferences;
  sidePanelChat: SidePanelChat;
  activity: Activity;
  rateLimiter: SessionRateLimiter;
}

/** What an agent asks the user for. All texts are one printable line, and not ours. */
export interface ConsentPrompt {
  id: string;
  kind: "attach" | "act";
  tabId: number;
  /** Of the page, when it was asked. */
  title: string;
  site: string;
  client: string;
  /** Of the session; empty where it has none. */
  session: string;
  /** To attach: in the client's words. To act: the command. */
  reason: string;
}

/** A command that drives a page may add these to its result. */
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
  /** HTTP status; null for a page that came from no server, or from the browser's memory. */
  status: number | null;
}

export interface Evaluated extends PageAddress {
  /** JSON. What JSON has no word for is a text in brackets, as in a data layer. */
  value: unknown;
}

export interface ConsoleEntry {
  /** ISO 8601. */
  timestamp: string;
  level: "debug" | "log" | "info" | "warn" | "error";
  message: string;
  /** Of the page in the frame that wrote it; empty when that is not known. */
  url: string;
}

export interface ConsoleLogs {
  /** Newest first. */
  entries: ConsoleEntry[];
  /** Sentences. */
  notes?: string[];
  /** How many there were since the tab was attached. */
  total: number;
}

/** A request as the worker keeps it. */
export interface LoggedRequest {
  id: string;
  /** The browser's own name for it; redirects share one. */
  requestId: string;
  /** The debugger's session of the frame of another site that asked. */
  frame?: string;
  /** Addresses of the pages that may have asked, by their frames, the likeliest first; empty for one that is not known. */
  pages: string[];
  /** Whether what followed under the same `requestId` is another request. */
  isRedirect?: boolean;
  method: string;
  /** In lower case: document, script, xhr, fetch, ping ... */
  type: string;
  url: string;
  /** The body of a hit of analytics; empty for all others. */
  sent: string;
  /** Seconds, by the browser's own clock. */
  startedAt: number | null;
  /** Milliseconds, as Date.now(). */
  begunAt: number;
  status: number | null;
  mimeType: string;
  /** Bytes on their way here. */
  size: number | null;
  /** Milliseconds. */
  time: number | null;
  /** Why it failed; empty when it has not. */
  error: string;
}

/** A request as it is listed: private data is redacted. */
export interface ShownRequest extends Pick<
  LoggedRequest,
  "id" | "method" | "status" | "type" | "size" | "time" | "url"
> {
  /** Address of the page that asked. */
  page: string;
  error?: string;
  /** Of a hit of analytics, whose `url` has no query then. */
  params?: Record<string, unknown>;
  /** Where it describes several. */
  events?: Record<string, unknown>[];
  /** Of the one that was asked for; null when it is no text. */
  body?: string | null;
  /** Sentences. */
  notes?: string[];
}

export interface NetworkRequests {
  /** Newest first. */
  entries: ShownRequest[];
  /** Sentences. */
  notes?: string[];
  /** How many there were since the tab was attached. */
  total: number;
}

export interface Screenshot {
  /** Base64. */
  data: string;
  mime_type: "image/png" | "image/webp" | "image/jpeg";
  /** Pixels of the image. */
  width: number;
  height: number;
  /** Then it is kept nowhere. */
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
}

/** `transform` ends in the place of the text on its page, from the bottom left. */
export interface PdfTextItem {
  str: string;
  hasEOL: boolean;
  transform: number[];
  height: number;
}

export interface JsonRequest {
  /** A global, or a path to a member of one: `digitalData.events`. Empty for the value that is given. */
  name: string;
  /** Index of the first entry wanted; -1 for the newest. */
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
  /** Characters of the whole as JSON; the last key and the last text may reach over it. */
  total: number;
  milliseconds: number;
}

/** What was left out: how many things of each kind. */
export interface JsonCuts {
  text: number;
  members: number;
  depth: number;
  unreadable: number;
  /** Whether the limit for the whole, or for the time, ended the writing early. */
  total: boolean;
  time: boolean;
}

/** The page function answers the JSON text of this. */
export type WrittenJson =
  | { found: true; values: unknown[]; total: number; since: number; cuts: JsonCuts }
  | { found: false; candidates: string[] };

// --- Acting on elements (page/interaction/, browser/element-target.js)

/** What to do with the element once it is found and ready for it. */
export type ElementAction =
  | { action: "show"; selector: string }
  | { action: "hover"; selector: string; at?: [number, number] }
  /** `isStep`: a part of what an action does that has begun already. */
  | { action: "click"; selector: string; count: number; at?: [number, number]; isStep?: boolean }
  /** What is dragged, and the place where it goes. */
  | { action: "drag" | "place"; selector: string; at?: [number, number] }
  | { action: "upload"; selector: string; count: number }
  | ({ action: "check"; after?: FieldsBefore } & FormField)
  /** Without a selector (empty) it is what has the focus already. */
  | { action: "focus"; selector: string }
  /** Without a selector it is the page. */
  | { action: "scroll"; selector: string; to?: ScrollGoal }
  | { action: "fill"; selector: string; value: string }
  | { action: "select"; selector: string; values: string[] };

/** A number is pixels to go down. */
export type ScrollGoal = "top" | "bottom" | "left" | "right" | number;

/** What is to hold, all of it; empty for what is not asked. */
export interface WaitRequest {
  id: string;
  selector: string;
  text: string;
  gone: string;
  /** Milliseconds that are left. */
  timeout: number;
  /** Milliseconds that the command was given. */
  whole: number;
  /** Of a page in a frame of another site: the selector of that frame, from the main frame on. */
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

/** What is before a field in its form, and may enable it; only a choice among options also changes those of a list. */
export type FieldsBefore = "" | "field" | "choice";

/** How a field of a form is written. */
export interface FormWay {
  way: "click" | "select" | "choose" | "fill";
  /** Of what can be checked: whether it is now. Missing for a web component: the browser may know it. */
  checked?: boolean;
  /** Of what takes a text: what it holds, and whether that is the value in question. */
  value?: string;
  isSame?: boolean;
  /** Of what has no text of its own: the values that it shows. */
  shown?: string[];
  /** What the page or the browser objects to its value now, as a sentence, or empty. */
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
  /** Milliseconds for the element to be there, and to be ready. */
  limits: { find: number; ready: number };
  /** Whether the tab is the one its window shows. */
  isInFront: boolean;
  /** Of a page in a frame of another site: the selector of that frame, from the main frame on. */
  way?: string;
  /** How often its element was found, but not within sight of the page around it. */
  tries?: number;
};

export type ElementAnswer = { code: ErrorCode; message: string } | FoundElement | FoundFrames;

/** What a page is asked about the element of an action, by the names of `page/interaction/action-looks.js`. */
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
  | "readSelected";

/** Frames of other sites, in which the rest of the selector is to be searched. */
export interface FoundFrames {
  code: "";
  rest: string;
  frames: CrossOriginFrame[];
}

/** A frame of another site, as the page around it knows it. */
export interface CrossOriginFrame extends FrameTraits {
  /** From the main frame on. */
  selector: string;
}

/** What distinguishes a cross-origin frame from others, without a name. */
export interface FrameTraits {
  /**
   * Numbers of the frames on the way from the main frame, each among those of its parent; -1 in a shadow root, -2 where
   * its window cannot be reached.
   */
  path: number[];
  /** Where it was sent first. */
  src: string;
  /** Of its viewport, in CSS pixels. */
  width: number;
  height: number;
}

/** Asks a page where something in one of the frames that it has found is drawn. */
export interface FramedRequest {
  /** Of the search. */
  id: string;
  /** Which one of the frames. */
  index: number;
  isInFront: boolean;
  /** How often the mouse will be pressed there. */
  presses: number;
  /** In the viewport of the frame. */
  point?: Point;
  box?: Box;
}

/** The same in the viewport of the page's main frame, a box in its document; or why it cannot be used there. */
export interface PlacedOutside {
  /** A sentence that starts with the frame; empty when there is none. */
  trouble: string;
  point?: Point;
  box?: Box;
  /** As of a FoundElement. */
  pinch?: Point;
}

/** What was acted on, for the reply. */
export interface ElementDescription {
  /** Matches this element only, also in shadow roots and frames. */
  selector: string;
  tag: string;
  /** What a user reads on it or next to it, at most 60 characters. */
  text: string;
}

/** What keys have made of the element that had the focus. */
export interface PressedState {
  checked?: boolean;
  /** Of a field. */
  value?: string;
  /** Of a list. */
  selected?: { value: string; label: string }[];
  /** What has the focus now, when it is another element. */
  focused?: ElementDescription;
}

export interface FoundElement {
  code: "";
  element: ElementDescription;
  /** How many elements the selector matches. */
  matches: number;
  notes?: string[];
  /** What an action is about, in the viewport of the main frame; only there it is known. */
  outline?: Box;
  /** click, hover, drag, place: a point in the viewport where the element is hit, in CSS pixels. */
  point?: Point;
  /** check; `isLater`: whether it depends on a field before it, as something disabled may. */
  form?: FormWay;
  isLater?: boolean;
  /** upload: whether it takes files itself, and is no button that asks for them. */
  isFileField?: boolean;
  /** drag: the top left corner of the element's first box in the viewport. */
  corner?: Point;
  /** click: whether the element has a state of being checked, which `readChecked` reads. */
  isCheckable?: boolean;
  /** show: the element's place in the document of the main frame, in CSS pixels. */
  box?: Box;
  filling?: Filling;
  /** How far the window is scrolled in a page that the user has magnified; 0, 0 if left out. */
  pinch?: Point;
  /** Something else has come below the resting mouse. */
  isMouseStale?: boolean;
  /** fill, select: what takes no text, and is operated instead. */
  widget?: WidgetKind;
  /** scroll: what a wheel is to do at a point where it turns this and nothing else. */
  wheel?: { point: Point; deltaX: number; deltaY: number };
  /** select: what is chosen now. */
  selected?: { value: string; label: string }[];
}

/** Where something that can be scrolled is, in CSS pixels. */
export interface Scrolled {
  top: number;
  left: number;
  height: number;
  width: number;
  visible_height: number;
  visible_width: number;
  /** Only on the way to the worker: what was to be in view is not. */
  isOut?: boolean;
}

/** What is left to do for a field: it has the focus, and its content is selected or set already. */
export interface Filling {
  /** What the field is to hold. */
  text: string;
  /** Whether it is still to be typed. */
  isTyped: boolean;
  /** Whether the field is that of an editor that draws its own text. */
  isDrawn: boolean;
  /** Whether it has to be typed key by key. */
  isKeyed: boolean;
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
  /** Whether the field is read-only: its day is to be picked in its calendar. */
  isReadOnly: boolean;
}

/** A field that takes no text of its own. */
export type WidgetKind = "list" | "slider" | "spinbutton" | "segments";
export type WidgetLook =
  | "list"
  | "calendar"
  | "cell"
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
  | "scroll"
  | "focus"
  | "focusList"
  | "leave"
  | "near";
export type DatePart = "year" | "month" | "day" | "hour" | "minute" | "second" | "half";

export interface ListState {
  isOpen: boolean;
  /** A list that stands on the page. */
  isAlwaysOpen: boolean;
  /** Whether it says that its list is open, which may have no options. */
  isExpanded: boolean;
  isMultiple: boolean;
  /** Whether a text can be typed into it. */
  isEditable: boolean;
  /** Whether its open list has a search field of its own, which has the focus. */
  isSearched: boolean;
  /** Whether the mouse can reach it: some fields only take the keys. */
  isReachable: boolean;
  /** The texts that stand for its value. */
  shown: string[];
  /** Whether one of them is the time that was asked for, in any notation. */
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
  /** The option that the keys have come to. */
  active: string;
  /** The option that was asked for. */
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

/** What is to be listed; empty texts for all of the page. */
export interface ListRequest {
  find: string;
  within: string;
  /** Lines to pass over. */
  offset: number;
  /** The selector of the frame of another site that the page is in, from the main frame on. */
  way?: string;
  /** What is in the page's own frames of other sites, by their selectors, once that is known. */
  framed?: Record<string, ListLine[]>;
  /** The selectors of those that are left out. */
  leftOut?: string[];
  /** Whether the lines are wanted, for the list of the page around this one. */
  isFramed?: boolean;
  /** The selectors of those that have not answered, and of such ones inside them. */
  silent?: string[];
  /** What the worker knows of that shows that the page is not complete. */
  loading?: string[];
}

export interface ListLine {
  text: string;
  /** 0 for what can be acted on; of the others, the higher one is left out first. */
  rank: number;
  /** Whether it is one element that can be acted on. */
  isThing: boolean;
}

export type ListAnswer =
  | { code: ErrorCode; message: string }
  | FoundFrames
  | { code: ""; lines: ListLine[] }
  | ({ code: "" } & Omit<PageElements, keyof PageAddress> & ListedPage);

/** What shows whether more is to come. */
export interface ListedPage {
  isEmpty: boolean;
  isLoading: boolean;
  /** Milliseconds since the navigation to it began. */
  age: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

/** Where a press of the mouse has gone. */
export interface PressOutcome {
  /** Whether it was seen in the page. */
  isSeen: boolean;
  /** Whether nothing shows where it has gone: no element that could have taken it for itself, and no listener. */
  isLost: boolean;
  /** What was hit instead of the element, as a name; empty when nothing was. */
  cover: string;
  /** Whether that was pressed: a press that goes astray is kept from pages that the extension sees. */
  isPressed: boolean;
  /** What covered the element when the mouse was released, as a name; empty if nothing did. */
  release: string;
}

/**
 * What has become of a drag once the button is released: the mouse alone dragged; the browser's own drag and drop was
 * accepted or refused by what was there, or has not ended; or the element is draggable, and none has begun.
 */
export type DragOutcome = "mouse" | "dropped" | "refused" | "unfinished" | "unstarted";

/** Where everything is after a drag. */
export interface DragWay {
  /** Whether everything is where it was. */
  isIdle: boolean;
  /** How far the dragged element is from where it was; empty if it is there. */
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
  /** Whether its day was picked in a calendar. */
  hasPicked?: boolean;
  /** Whether to leave the field although it may suggest. */
  mayLeave?: boolean;
}

/** What a field holds after it was filled. */
export interface FilledField {
  value: string;
  /**
   * What is left to do: look again once the browser says that it has typed; type key by key, because the field has
   * lost a part of the text, and its content is selected again; wait for suggestions; pick the day in the calendar that
   * is open; or press Tab or Enter, as users leave a field.
   */
  next: "" | "look" | "retype" | "suggest" | "pick" | "tab" | "enter";
  /** Once nothing is left to do: whether the page has kept the text. */
  isKept?: boolean;
  /** Whether the page shows it as an invalid one of several values. */
  isRefused?: boolean;
  /** Whether a calendar was open that did not follow what was typed. */
  isUnread?: boolean;
  /** Whether a picker is still open for it. */
  hasPicker?: boolean;
  notes: string[];
  /** What the page or the browser objects to the value, as a sentence, or empty. */
  complaint?: string;
  /** What else has changed on the page, once nothing is left to do, Enter neither. */
  changed?: string;
  /** That it has opened a list, which is operated next. */
  widget?: WidgetKind;
}

/** The answer of what acts on an element. */
export interface ActionReply extends PageAddress, Remarks, PressedState {
  element: ElementDescription;
  matches: number;
  /** What has appeared or gone, at most 200 characters. */
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
  /** As the server last connected has named them. */
  commands: Partial<ServerCommands>;
}

/** Lines for a terminal, which work in any folder. */
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
  /** Whether attached tabs stand in a group of the tab strip. */
  group: boolean;
  /** Whether the element acted on is outlined. */
  outline: boolean;
  /** Whether the activity log is kept. */
  log: boolean;
  /** Whether the side panel reads the page when the user begins to type. */
  readAhead: boolean;
  /** What one session may have run for long. */
  commandsPerSecond: number;
  /** Patterns as in [sites]. */
  deniedHosts: string[];
  /** What the user calls this browser profile; empty for the browser's own name. */
  browserName: string;
}

/** chrome.storage.local: one command that was asked for, and what became of it. */
export interface ActivityEntry {
  /** ISO 8601, when it came. */
  time: string;
  /** Both are empty for the user. */
  session: string;
  client: string;
  /** Null where none is known. */
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
  /** Null when they were too long to keep. */
  params: Record<string, unknown> | null;
  /** Names of parameters whose values are not kept. */
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
  /** A program listens there and says nothing. */
  | "no_answer"
  /** A program answers there, but takes no WebSocket of ours. */
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
  /** "paired": no client is open, which is nothing to fix. "disconnected": by the user, or for `failure`. */
  state: "setup" | "connected" | "paired" | "disconnected";
  paired: boolean;
  port: number | null;
  sessions: number;
  /** Names of their clients, as far as they are known. */
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

/** From now on the page hears about this tab instead of the viewed one, and about its console. */
export interface WatchRequest {
  action: "watch";
  tabId: number;
}

/** The browser outlines this element in the page, and none when there is no selector. */
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
  /** Of a command that reads: it changes nothing at all, and leaves a dialog that the page shows to the user. */
  observe?: boolean;
}

/** A question about tabs. What was read of one tab is kept for all questions of the same conversation. */
export interface PromptRequest {
  action: "prompt";
  id: string;
  conversation: string;
  text: string;
  tabIds: number[];
  /** Null for the one that is configured. */
  model: string | null;
  /** The user has confirmed that the page may go to where this model runs. */
  confirmed?: true;
}

/** The user has begun to type the first question of a conversation: the server may read the tab, if they have turned that on. */
export interface ReadAheadRequest {
  action: "read_ahead";
  conversation: string;
  tabId: number;
  model: string | null;
}

export type SidePanelRequest =
  | PromptRequest
  | ReadAheadRequest
  /** Which models the server has. */
  | { action: "models"; id: string }
  /** The user does not want this answer any more. */
  | { action: "stop_answer"; id: string }
  /** Nothing more is asked in this conversation. */
  | { action: "clear_conversation"; conversation: string };

export type PageMessage = View | Refusal | ConsoleBatch | Response | AnswerEvent;

/** How far a question is, or its end. */
export interface AnswerEvent {
  type: "event";
  event: "answer";
  id: string;
  state: "reading" | "writing" | "done" | "failed" | "models";
  /** Of "reading": of 100, and what is being done. */
  percent?: number;
  step?: ServerSentence & { tokens: number; seconds: number };
  /** Of "writing" and "done": the whole answer as far as it is written, in Markdown. */
  text?: string;
  /** Of "done": what was read, and what is missing from the answer. */
  receipt?: AnswerReceipt;
  notes?: ServerSentence[];
  /** Of "done": how many figures of the answer are where, and the places in `text` of those to look at twice. */
  checked?: AnswerCheck;
  /** Of "done": the passage that supports each sentence of `text`, in order. */
  evidence?: AnswerEvidence[];
  /** Of "failed": what the server says, or what the extension knows. */
  error?: { message: string; code: string };
  reason?: "not_connected" | "stopped" | "lost" | "silent";
  /** Of "failed": the question can be sent again once the user has confirmed this model; the host is empty if unknown. */
  confirm?: { model: string; host: string };
  /** Of "models": their names, the hosts of those that run elsewhere, and the one that is configured. */
  models?: string[];
  cloud?: Record<string, string>;
  model?: string;
}

/** A sentence of the server that side-panel/server-texts.js writes in the user's language. */
export interface ServerSentence {
  /** Empty for what has only an English text. */
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

/** Where the page has a figure: in the passage that the sentence is about, elsewhere, only in the prompt, or nowhere. */
export type CheckResult = "on_page" | "elsewhere" | "in_prompt" | "not_on_page";

export interface AnswerCheck {
  counts: Record<CheckResult, number>;
  figures: { result: "elsewhere" | "not_on_page"; start: number; end: number }[];
}

/** A sentence of an answer, by its place in `text`, and the page's passage; `offset` counts Unicode characters of the page's text. */
export interface AnswerEvidence {
  start: number;
  end: number;
  /** As the page has it; null where no support was found. Untrusted text. */
  passage: string | null;
  offset?: number;
  tab_id?: number | null;
}

/** Oldest first. */
export interface ConsoleBatch {
  type: "console";
  entries: ConsoleEntry[];
  /** Whether this is all there is, in place of what was sent before. */
  isWhole: boolean;
  /** How many messages there were before these that were dropped. */
  gone: number;
}

export interface View {
  type: "view";
  status: Status;
  tab: ViewedTab | null;
  /** Open ones, the oldest first. */
  requests: ConsentPrompt[];
  /** In the order in which they were attached. */
  attached: AttachedView[];
  /** Whether there is something that Stop would end: a command, or an answer in the side panel. */
  isRunning: boolean;
}

export interface AttachedView {
  id: number;
  title: string;
  site: string;
}

/** The tab that the page's buttons are about. */
export interface ViewedTab {
  id: number;
  url: string;
  title: string;
  attached: boolean;
  allowEvaluate: boolean;
  showPrivate: boolean;
  incognito: boolean;
  /** Why it cannot be attached, as a sentence; empty when it can. */
  obstacle: string;
  /** Whether the user's settings keep it from clients and the side panel. */
  denied: boolean;
}

export interface Refusal {
  type: "refused";
  action: Action["action"];
  message: string;
}
