// Redacts each JSON value that comes on a line of stdin, and answers with a line: `[shown, counts]`.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { countryOfHost } from "../../extension/browser/page-country.js";
import { PrivateKeys } from "../../extension/browser/private-keys.js";
import { Redactor } from "../../extension/browser/redaction.js";

const tables = readFileSync(new URL("../../extension/shared/private-keys.json", import.meta.url), "utf8");
const keys = new PrivateKeys(JSON.parse(tables));

for await (const line of createInterface({ input: process.stdin })) {
  const { value, name, kind, page } = JSON.parse(line);
  const redactor = new Redactor(keys, countryOfHost(page ?? ""));
  const shown = kind === "value" ? redactor.value(value, name) : redactor[kind](value);
  process.stdout.write(`${JSON.stringify([shown, redactor.counts])}\n`);
}
