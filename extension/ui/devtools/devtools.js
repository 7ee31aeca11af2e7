/** DevTools loads this once for each inspected tab, only to register the panel. */

chrome.devtools.panels.create("Chrome Tab Reader", "icons/icon-32.png", "ui/devtools/panel.html");
