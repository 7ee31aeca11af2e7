// The official TypeScript SDK as a client: lists the tools and calls one with a wrong argument, by the transport named in its arguments.
//
//   node typescript_client.mjs http URL [BEARER] | sse URL [BEARER] | stdio COMMAND ARGUMENT...
//
// Prints {"tools": [...names], "refusal": "..."} as JSON.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [kind, target, ...rest] = process.argv.slice(2);

function transport() {
  if (kind === "stdio") return new StdioClientTransport({ command: target, args: rest, env: process.env });
  const options = { requestInit: { headers: rest[0] ? { authorization: `Bearer ${rest[0]}` } : {} } };
  return kind === "http"
    ? new StreamableHTTPClientTransport(new URL(target), options)
    : new SSEClientTransport(new URL(target), options);
}

const client = new Client({ name: "typescript-client", version: "1.0.0" });
await client.connect(transport());
const { tools } = await client.listTools();
const refusal = await client.callTool({ name: "read_chrome_tab", arguments: { start: "--to-end" } });
await client.close();
process.stdout.write(
  `${JSON.stringify({ tools: tools.map(({ name }) => name).sort(), refusal: refusal.content[0].text })}\n`,
);
