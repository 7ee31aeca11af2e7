// Answers each line of stdin, a JSON list of a function's name in shared/denied-hosts.js and its arguments, with a line.

import { createInterface } from "node:readline";

import * as hosts from "../../extension/shared/denied-hosts.js";

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(hosts[name](...args))}\n`);
}
