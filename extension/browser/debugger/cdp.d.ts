// The parts of the Chrome DevTools Protocol 1.3 that we use.

export interface RemoteObject {
  type: string;
  subtype?: string;
  value?: unknown;
  unserializableValue?: string;
  description?: string;
  objectId?: string;
  preview?: ObjectPreview;
}

export interface AccessibleNode {
  role?: { value?: unknown };
  properties?: { name: string; value: { value?: unknown } }[];
}

export interface ObjectPreview {
  type: string;
  subtype?: string;
  description?: string;
  overflow: boolean;
  properties: { name: string; type: string; value?: string; valuePreview?: ObjectPreview }[];
  entries?: { key?: ObjectPreview; value: ObjectPreview }[];
}

export interface ConsoleCall {
  type: string;
  args: RemoteObject[];
  executionContextId?: number;
  /** Milliseconds since 1970. */
  timestamp: number;
}

export interface ExceptionDetails {
  text: string;
  /** From 0, and so are the columns. */
  lineNumber: number;
  columnNumber: number;
  url?: string;
  executionContextId?: number;
  exception?: RemoteObject;
  scriptId?: string;
  stackTrace?: object;
}

export interface NetworkRequest {
  url: string;
  method: string;
  headers?: Record<string, string>;
  postData?: string;
}

export interface NetworkResponse {
  status: number;
  mimeType?: string;
  encodedDataLength: number;
}

export interface LogEntry {
  level: string;
  text: string;
  timestamp: number;
  url?: string;
  networkRequestId?: string;
}

export interface Evaluation {
  result: RemoteObject;
  exceptionDetails?: ExceptionDetails;
}
