// Masks each JSON value that comes on a line of stdin, and answers with a line: `[shown, masked]`.

import { createInterface } from "node:readline";

import { Masker } from "../../extension/worker/masking.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { value, name, kind } = JSON.parse(line);
  const masker = new Masker();
  const shown = kind === "value" ? masker.value(value, name) : masker[kind](value);
  process.stdout.write(`${JSON.stringify([shown, masker.masked])}\n`);
}
