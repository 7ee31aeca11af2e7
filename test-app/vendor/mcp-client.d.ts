// What the test app uses of the vendored bundle; written by hand, because the bundle brings no types.

export interface Transport {
  close(): Promise<void>;
}

export interface Implementation {
  name: string;
  version: string;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: { properties?: Record<string, unknown>; required?: string[] };
}

export type Content =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "resource" | "resource_link" | "audio" };

export interface ToolResult {
  content: Content[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

export interface RequestOptions {
  signal?: AbortSignal;
  timeout?: number;
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

export class Client {
  constructor(about: Implementation, options?: object);
  onclose?: () => void;
  onerror?: (error: Error) => void;
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
  getServerVersion(): Implementation | undefined;
  listTools(): Promise<{ tools: Tool[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }, options?: RequestOptions): Promise<ToolResult>;
  setNotificationHandler(method: string, handler: () => void): void;
}

export interface TransportOptions {
  requestInit?: RequestInit;
  eventSourceInit?: { fetch?: typeof fetch };
  fetch?: typeof fetch;
}

export class StreamableHTTPClientTransport implements Transport {
  constructor(url: URL, options?: TransportOptions);
  close(): Promise<void>;
}

export class SSEClientTransport implements Transport {
  constructor(url: URL, options?: TransportOptions);
  close(): Promise<void>;
}
