"use strict";

// Ids, names and classes that a library has generated: they change with each rendering, and tell nothing.

const generatedNames = (() => {
  const GENERATED =
    /:r?[0-9a-z]*:|«|(?:^|[-:])_r_|_r_[0-9a-z]+_|(?:^|-)cl-\d|\d{5}|[0-9a-f]{8}-[0-9a-f]{4}|(?=[a-z]*\d)[0-9a-f]{10}|-(?=[a-f]*\d)[0-9a-f]{6}$|^(?:react-aria|radix|bits|p[rv]_id|headlessui|downshift|mui|mantine|chakra|ember|ext-gen|yui|gwt-uid|cdk|mat|ng|ag|uk|react-select|fc-dom|dubois|el-id|rc|select2|ui-id|uid|uuid|guid|combobox|listbox|popover|dialog|ion-)[-_]?[a-z-]*[-_:]?\d+|^(?:css|sc|jss|st-emotion-cache|svelte|emotion)-|^mantine-[a-z0-9]{9}$|^id-(?=[a-z]*\d)[\da-z]{6}$|^(?:[a-f]{1,8}-){4}|^\d+$|^(?=\S{20}$)(?:.*[^\w.:/[\]-]){2}|^(?:cell|tab-key)-\d+-\d+$|__[\w-]*[A-Z]\w{3,}$|(?:^|[-:.])(?=\w{8})\w*\d[A-Za-z]\w*\d[A-Za-z]/u;

  /**
   * @param {string} name of an attribute
   * @param {string} value
   */
  function isGenerated(name, value) {
    return ["id", "name", "class"].includes(name) && GENERATED.test(value);
  }

  return { isGenerated };
})();
