// Classic scripts import nothing: what they share, they find here.

import type * as shared from "../../shared/types.d.ts";

declare global {
  /** What the files of this folder leave for the worker, in the extension's own world of a page. */
  var chromeTabReader: typeof elementCommands & Partial<typeof elementList>;

  type Box = shared.Box;
  type ElementAction = shared.ElementAction;
  type ElementAnswer = shared.ElementAnswer;
  type ElementDescription = shared.ElementDescription;
  type ElementRequest = shared.ElementRequest;
  type ErrorCode = shared.ErrorCode;
  type DragOutcome = shared.DragOutcome;
  type DragWay = shared.DragWay;
  type FilledField = shared.FilledField;
  type FillLook = shared.FillLook;
  type CrossOriginFrame = shared.CrossOriginFrame;
  type FramedRequest = shared.FramedRequest;
  type FrameTraits = shared.FrameTraits;
  type Filling = shared.Filling;
  type FormField = shared.FormField;
  type FormWay = shared.FormWay;
  type FoundElement = shared.FoundElement;
  type HeldFiles = shared.HeldFiles;
  type ListState = shared.ListState;
  type NumberState = shared.NumberState;
  type DatePart = shared.DatePart;
  type WidgetLook = shared.WidgetLook;
  type WidgetKind = shared.WidgetKind;
  type ListAnswer = shared.ListAnswer;
  type ListLine = shared.ListLine;
  type ListRequest = shared.ListRequest;
  type PlacedOutside = shared.PlacedOutside;
  type Point = shared.Point;
  type PressOutcome = shared.PressOutcome;
  type Scrolled = shared.Scrolled;
  type ScrollGoal = shared.ScrollGoal;
  type WaitAnswer = shared.WaitAnswer;
  type WaitRequest = shared.WaitRequest;
  type PressedState = shared.PressedState;
}
