import js from "@eslint/js";

export default [
  { ignores: ["node_modules/", "**/vendor/", ".venv/"] },
  js.configs.recommended,
  {
    rules: {
      // tsc knows which names exist where (page, worker, chrome.*); a second list of globals would only go stale.
      "no-undef": "off",
      curly: ["error", "multi-line"],
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-shadow": "error",
      "no-var": "error",
      "prefer-const": "error",
      // The worker's log holds types and codes, never page text: each line is a decision.
      "no-console": ["error", { allow: ["debug", "info"] }],
      // Page content must never become markup.
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({
          property,
          message: "Use textContent.",
        })),
      ],
    },
  },
  // The folders' directions: background > commands > browser > page, and ui > shared.
  ...Object.entries({
    commands: ["background", "ui"],
    browser: ["background", "commands", "ui"],
    page: ["background", "commands", "browser", "ui", "shared"],
    ui: ["background", "commands", "browser", "page"],
    shared: ["background", "commands", "browser", "page", "ui"],
  }).map(([folder, above]) => ({
    files: [`extension/${folder}/**/*.js`],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              group: above.map((name) => `**/${name}/**`),
              message: `${folder}/ must not import from ${above.join(", ")}.`,
            },
          ],
        },
      ],
    },
  })),
  {
    // Classic scripts: each leaves one constant to those after it.
    files: ["extension/page/interaction/*.js", "extension/page/main-content/*.js"],
    languageOptions: { sourceType: "script" },
    rules: { "no-unused-vars": ["error", { vars: "local" }] },
  },
];
