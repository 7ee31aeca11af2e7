"""What the list of a page's elements contains, and how it is worded: page functions alone, without the extension."""

import json
from collections.abc import Generator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.extension.test_page_elements import Elements
from tests.support.browser import launch_chromium
from tests.support.pages import PAGES, cases

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def tab() -> Generator[Page]:
    with launch_chromium() as browser:
        yield browser.new_page(viewport={"width": 1000, "height": 700})


@pytest.fixture(scope="module")
def elements(tab: Page) -> Elements:
    """One page for all lists, each written into it: making a list leaves nothing behind."""
    return Elements(tab)


def listed(elements: Elements, **request: Any) -> dict[str, Any]:
    whole = {"find": "", "within": "", "offset": 0, "framed": {}, **request}
    return elements.evaluate(f"chromeTabReader.list({json.dumps(whole)})")


def lines_of(elements: Elements, **request: Any) -> list[str]:
    """Return the lines without the last one, which is about the list."""
    return listed(elements, **request)["text"].splitlines()[:-1]


CANVAS = "Much of the page is drawn on a canvas, and not listed. Take a screenshot to see it."
# By the files of `tests/pages/cases/` and their cases: the lines of the list.
LISTS: dict[str, dict[str, list[str]]] = {
    "surroundings": {
        "body that does not scroll": ['button "a"  button'],
        "holder without a box": ['button "a"  button'],
        "cut off by an ancestor without height": ['button "b"  i > button'],
        "cut off by a positioned ancestor": ['button "b"  body > button'],
        "shut part below the window": ["-- out of sight --", 'button "Question"  button text=Question'],
        "fields in the head of a table": [
            'row "Name | Price"',
            'link "Documentation"  [href="#i"]',
            'clickable in "Price" 20x20  #sort',
            'textbox in "Name"  #n',
            'number in "Price"  #p',
            'row "Boat | 7"',
            'clickable in "Price" of "Boat" 20x20  #less',
        ],
        "icons without words": [
            "button white #efefef 20x20  #menu",
            "button blue #617ada 20x20  #color",
            'textbox "Guests" = "2"  #g',
            'button next to "Guests" .number-up white #efefef 20x20  #up',
            "# Order",
            'button next to "Order" .dialog-close white #efefef 20x20  #shut',
            "# Plot",
            'button tooltip "Zoom"  #zoom',
        ],
        "texts that are transparent": ['text "Draft"', "-- out of sight --", 'text "Fades in"'],
        "sliders with words for their values": [
            'slider "Color" = Hue: 7°, Brightness: 80 % (0 to 100)  #hue',
            'slider "Day" = 2, Tuesday (0 to 6)  #day',
        ],
        "slider without a height": ['slider "Length" = 7 (0 to 100)  #line'],
        "icon after a link that is not drawn": [
            'link 20x20  [href="#home"]',
            "-- out of sight --",
            'link "Skip to the content"  [href="#main"]',
        ],
        "icon in front of its title": ['text "Log out"', 'clickable next to "Filters" 20x20  #fold', 'text "Filters"'],
        "field after a check box in the same line, and in the next one": [
            'checkbox "Discount" off  #a',
            'textbox next to "Discount"  #b',
            "textbox  #c",
        ],
        "signs that remove values": [
            'text "Rome"',
            'button "x" next to "Rome"  #a',
            'text "Oslo"',
            'link "✕" next to "Oslo"  #b',
            'button "y"  #c',
            'text "Bern"',
            'button "x" next to "Bern" title "Leave out"  #d',
            'button "✏️" title "Rename"  #e',
        ],
        "icon after a field that takes its focus": [
            'text "Cities"',
            'button next to "Cities" .arrow white #efefef 20x20  #c',
        ],
        "check box in a branch of a tree": [
            'treeitem "Fruit"  #t',
            'checkbox of "Fruit" off  #c',
            'treeitem "Trees" collapsed  #trees',
            'button "Expand the branch"  #expand',
            'checkbox "Toggle the branch" off  #toggle',
        ],
        "cell with a check box": ['gridcell "Oak"  #a', 'checkbox "Press Space to select this row" off  #b'],
        "label with a role around its field": ['radio "Red" off  #r', 'checkbox "Late" off  #l'],
        "name that a script did not set": ['text "Cities"', 'textbox next to "Cities"  #c', 'button "null"  #b'],
        "text around links": [
            'text "This data as"',
            'link "JSON"  a text=JSON',
            'link "CSV"  [href="#c"]',
            'link "more"  a text=more',
            'text "f( ) and a, b"',
        ],
        "slider after a clock": [
            'clickable "12"  b:nth-of-type(1)',
            'clickable "AM"  b:nth-of-type(2)',
            "slider = 3  #s",
        ],
        "parts of a range after the fields that hold their values": [
            'text "Price"',
            'slider next to "Price" = 2  #low',
            'slider next to "Price" = 8  #high',
        ],
        "numbers along a slider": ['slider "Nights" = 20 (0 to 40)  #s', 'text "7"'],
        "bar that lets the mouse through": ['text "read"'],
        "link at the top of the page around a floating image": ['link "Home"  [href="#home"]'],
        "field under a legend": [
            "# Office",
            'group "New harbour"',
            'link "[?]"  [href="#help"]',
            'textbox of "New harbour"  #n',
            'textbox "Pier"  #p',
            'textbox "Other"  #m',
        ],
        "table for layout": ['text "Menu"', 'link "Start"  [href="#start"]', 'row "name | Oak"'],
        "switches of web components after their labels": [
            'text "Usage"',
            'switch next to "Usage" off  #usage >>> input',
            'text "Errors"',
            'switch next to "Errors" off  #errors >>> input',
        ],
        "label in the box of a list": [
            'combobox "Country*" = "Norway" collapsed  #list',
            'combobox "City*" collapsed  #none',
        ],
        "check boxes of a list without a table": ['checkbox next to "Asset name" off  #all', 'text "Asset name"'],
        "search field that is a code editor": ['textbox "Search"  .CodeMirror'],
        "rows with the same links, and their headers next to empty cells": [
            'row "Title"',
            'checkbox of "Apple" off  #a',
            'row "Edit | Apple"',
            'link "Edit"  tr:has(#a) a',
            'checkbox of "Fruit" off  #b',
            'row "Fruit Edit | Pear"',
            'link "Fruit"  [href="#tag"]',
            'link "Edit"  tr:has(#b) [href="#edit"]',
        ],
        "row that begins with a cell to select it by": [
            'row "Ticket Owner"',
            'checkbox "Press Space" off  #c',
            'row "T-1 | 5"',
            'textbox in "Owner" of "T-1"  #f',
            'row "T-2 | Bo | 7"',
        ],
        "area to drop files on": ['text "Drop a file here"', 'file next to "Drop a file here" empty  #f'],
        "arrows of a tree": [
            'clickable of "Fruit" 20x20  #a',
            'treeitem "Fruit"  #fruit',
            'treeitem "Tools"  #tools',
            'clickable of "Tools" 20x20  #b',
        ],
        "filters that can be removed": [
            "textbox  #first",
            'link "Remove this filter"  div:nth-of-type(1) > a',
            "textbox  #next",
        ],
        "field in a new row with a button": [
            'row "Text | Delete?"',
            'textbox in "Text" = "nice"  #a',
            'button "Remove"  #b',
            'textbox in "Text"  #c',
            'button "Remove"  #d',
        ],
        "column with buttons for the table in its head": [
            'button "Add a row"  #add',
            'button "Filter"  #filter',
            'button "Item"  #sort',
            'button "Menu"  #menu',
            'button of "Oak" white #efefef 16x6  #a',
            'row "Oak"',
            'button in "Item" of "Oak" white #efefef 16x6  #b',
        ],
    },
    "clickables": {
        "control in something clickable": ['clickable "Invoice 17"  div', 'button "x" next to "Invoice 17"  span'],
        "text that declares to open something": ['clickable "Reports" collapsed  #o'],
        "clickable that is nothing but its control": ['link "Open"  [href="#a"]'],
        "icon next to the field of a label": [
            'textbox "Date required"  #d',
            'clickable "event"  #i',
            'checkbox "Late" off  #c',
        ],
        "box with the role of the field in it": ['combobox "Room" = "Single"  #r', 'text "Single"'],
        "frame around a check box and its label": ['checkbox "Agree" off  #c'],
        "row that opens next to its check box": [
            'clickable "Buy milk"  #row',
            'checkbox "Buy milk" off  #c',
            'text "Buy milk"  #row',
        ],
        "rows that can be clicked as a whole": [
            'clickable "Name Age"  #head',
            'text "Name"',
            'text "Age"',
            'clickable "Oak 9"  #oak',
            'clickable "Elm A tree that is described at some length, so that its ..."  #elm',
            'text "Elm"',
            'text "A tree that is described at some length, so that its name is cut"',
        ],
        "list that sets the cursor for its items": [
            'clickable "Bees Paused"  #a',
            'clickable "Roses Done" looks selected  #b',
            'link "Tulips"  [href="#c"]',
        ],
        "clickable that is shut to nothing": ['text "read"'],
        "frame of a combobox with its choice and its button": [
            'combobox "Room" readonly  #r',
            'text "Single"',
            'button "Open"  #o',
        ],
        "editors that are locked": [
            'textbox "Draft" = "Old" readonly  #a',
            'textbox "Note" = "Old" readonly  #b',
            'combobox "Room" = "Single"  #c',
        ],
        "parts of editors that are not edited": [
            'textbox "Notes" = "Call Ada Buy milk Boat Remove"  [aria-label=Notes]',
            "checkbox off 13x13  #done",
            'textbox = "Boat"  #caption',
            'button "Remove"  #remove',
            'textbox "To" = "ada@example.com"  [aria-label=To]',
            'button "Remove ada"  #no',
        ],
        "what a switch and a text field look like": [
            'switch "Dark" off  #d',
            'textbox "Day"  #day',
            'clickable next to "Day" 20x20  #open',
        ],
        "what is drawn around a field that only takes the keys": ['clickable "\u25be"  #box', "textbox  #keys"],
        "corner by which a field is resized": ['textbox "Note"  #note', "box red 12x12  #corner"],
        "what divides two panes, and the edge of a column": [
            'text "Files"',
            'draggable next to "Files" 6x200  #divider',
            'text "Text"',
        ],
        "label of a field that is not there": [
            'text "User"',
            'clickable "Help"  label text=Help',
            'textbox next to "User Help"  #u',
            'text "Folder"',
            'textbox next to "Folder"  #folder',
        ],
        "button in a row that has a size only under the mouse": ['button "Pets"  #r'],
        "parts of a branch of a tree that is a web component": [
            'treeitem "Fruit" collapsed  x-branch',
            'clickable of "Fruit" .expand-button 20x20  i',
            'checkbox of "Fruit" off  input',
        ],
        "icon that opens a branch of a tree": [
            'treeitem "Fruit" expanded  [role=treeitem] text=Fruit',
            'clickable of "Fruit" icon "down"  #open',
            'treeitem "Apple"  [role=treeitem] text=Apple',
        ],
    },
    "regions": {
        "focusable region": ['text "12 hits"', 'text "read"', 'clickable "stop"  div:nth-of-type(2)'],
    },
    "grid-cells": {
        "days of a calendar": ['gridcell "1"  td:nth-of-type(1)', 'gridcell "2"  td:nth-of-type(2)', 'text "3"'],
    },
    "names": {
        "icon that is hidden from names": ['button "Save"  [title=Save]'],
        "words of code": [
            *('text "select 1, 2"', 'text "from a"', 'text "Go"', 'text "Run"'),
            *('text "const a;"', 'text "let b;"'),
        ],
        "signs of a formula": ['text "frob(y=1)"', 'text "Ada"', 'text "36"'],
        "texts that stand apart": ['button "Inbox 3"  button'],
        "names that refer to one another in a circle": [
            'text "Times"  caption',
            'link "Times"  [href="#all"]',
            'row "9:00"',
            'button "Pick" = "Berth"  #pick',
            'button "One Two Two" = "1"  #one',
            'button "Two One Two" = "2"  #two',
        ],
        "label with another name": ['textbox "Tab title"  #t', 'textbox "Host, required"  #h'],
        "copy without height": ['button "Total no"  button'],
        "text that a style adds": ['button "Buy now"  #b'],
        "words that a picture repeats": ['clickable "Python 3"  div', 'link "All (0)"  #all'],
        "labels that listen to the mouse, and a box that is drawn again": [
            *('textbox "Color"  #f', 'checkbox "Agree" off  #d'),
        ],
        "calendar in a label": ['textbox "Day"  #f'],
        "field in the label of another": ['checkbox "Flash 3 times" off  #c', 'textbox next to "Flash" = "3"  #n'],
        "named field in the label of another": ['checkbox "Flash 3 times" off  #c', 'textbox "count" = "3"  #n'],
        "link whose picture is named elsewhere": ['link "To the map"  #a', 'text "the map"'],
        "icons without words": [
            *('button icon "trash"  #a', 'button icon "save"  #b', 'button tooltip "Print"  #c'),
            'button tooltip "Undo"  #d',
            "button .mdc-icon-button.mdc-icon-button--flex white #efefef 20x20  #e",
        ],
        "icons that are called what their images are": [
            'link "Settings"  #s',
            'button next to "Settings" icon "zoom_in"  #z',
            'button "warning Two"  #w',
        ],
        "picture with a name": ['button "Go"  button', 'textbox "Search"  #q'],
        "field that a link stands next to": [
            'link "Subtitle"  [href="#s"]',
            'textbox next to "Subtitle"  #s',
            'link "More"  [href="#n"]',
            'button "Go"  button',
            "textbox  #n",
        ],
        "field that a text stands next to": [
            'row "Subtitle"',
            'textbox next to "Subtitle"  #s',
            'button "Go"  button',
            "textbox  #n",
        ],
        "word that an icon font draws": ['button icon "more_vert"  #a', "button white #efefef 20x20  #b"],
        "words that an icon font draws next to names and values": [
            'button "Log in"  #a',
            'button "Bold"  #b',
            'button next to "Bold" icon "undo"  #c',
            'text "Plan"',
            'combobox next to "Plan" = "Pro"  #v',
            'clickable next to "Pro" icon "star"  #d',
        ],
        "number next to a field": ['text "20"', "slider = 80  #s"],
        "label with a name of its own": ['checkbox "Select all rows" off  #c', 'radio "Thin" off  #t'],
        "labels of buttons and of web components": [
            'checkbox "Terms" on  #b',
            'clickable "Large"  #x',
            'text "For display"',
            'checkbox "Agree" off  #i',
            'text "Owner"',
            'button "Owner Ada"  #o',
        ],
        "editor with a placeholder that a style adds": ['textbox "Write a note"  #e'],
        "editors that are alike": [
            'button "Bold"  button text=Bold',
            'textbox = "Plan"  #a',
            'button "Italic"  button text=Italic',
            'textbox = "Plan"  #b',
        ],
        "switch that the page draws": ['switch "Active" on  #a', 'switch "Native" off  #n'],
        "editor that draws its text": ['text "Code"', 'textbox next to "Code" = "let a"  #e'],
        "editor with line numbers": ['text "Code"', 'text "1 Unfold"', 'textbox next to "Code" = "let a"  #e'],
        "table that takes its keys in a hidden field": ['textbox "Cell"  [aria-label=Cell]', 'clickable "Ada"  #cell'],
        "parts of a line": [
            'text "Please read … to Maximise"',
            'link "the notes"  [href="#d"]',
            'text "one two"',
            "# 3 rows",
            'link "hide"  [href="#h"]',
            "# About H2O",
            'text "Name Ada"',
            'text "Elm 3 Oak 2"',
            'text "Find it … or write … now"',
            'link "in the logs"  [href="#l"]',
            'link "it"  [href="#w"]',
            'button "Speed 9 kB"  #b',
        ],
        "name of what only surrounds it": [
            'button "Filter rows" disabled  #f',
            'button "Delete"  #d',
            "button white #efefef 25x21  #g",
            'button "Next"  #h',
        ],
        "characters without a width": ['button "Save"  #s', 'button "Overview"  #o', 'text "src/main"'],
        "fields of a table": [
            'row "Plate | Model | Range | Active"',
            'checkbox of "B-EV 7" off  #a',
            'row "B-EV 7 | Zoe | 2026"',
            'link "B-EV 7"  [href="#b7"]',
            'number in "Range" of "B-EV 7" = "312"  #b',
            'checkbox in "Active" of "B-EV 7" on  #c',
        ],
        "buttons in the cell that names the row": [
            'row "Name | Age"',
            'row "Ann | 30"',
            'button in "Name" of "Ann" white #efefef 16x6  #a',
            'button in "Age" of "Ann" white #efefef 16x6  #b',
            'row "Actions | 41"',
            'button "Edit"  #c',
            'row "Actions | 52"',
            'button in "Name" of "52" white #efefef 16x6  #d',
        ],
        "rows that begin with the same link": [
            'row "Kind | Page"',
            'checkbox of "News" off  #a',
            'link "Text"  tr:has(#a) > td:nth-of-type(2) > a',
            'link "News"  [href="#n"]',
            'checkbox of "Log" off  #b',
            'link "Text"  tr:has(#b) > td:nth-of-type(2) > a',
            'link "Log"  [href="#l"]',
        ],
        "boxes that select rows": [
            'checkbox "Select all" off  #all',
            'row "Page"',
            'checkbox of "News" off  #a',
            'row "News"',
            'checkbox of "Log" off  #b',
            'row "Log"',
        ],
        "label that shows the value": [
            'text "Rows per page"',
            'combobox next to "Rows per page" = "5" collapsed readonly  #f',
            'text "Zone"',
            'combobox next to "Zone" = "Rome" collapsed  #g',
        ],
        "fields of a table without headers": ['row "Plate"', 'textbox next to "Plate"  #a'],
        "switches of entries": [
            'link "Nightly"  [href="#n"]',
            'link "example"  [href="#t"]',
            'checkbox of "Nightly" off  #a',
            "# Hourly",
            'checkbox of "Hourly" on  #b',
        ],
        "field that a hidden list stands behind": [
            'combobox "Depot" = "North" collapsed  #c',
            'text "Group"  p > label',
            'text "Servers"',
            'combobox "Group" collapsed  #f',
        ],
        "icons that show a state or that something opens": [
            'button "Charts" collapsed  #s',
            'button next to "Charts" collapsed icon "plus"  #t',
            'button icon "ViewColumn"  #u',
            'combobox "Size" = "Small" collapsed  #v',
        ],
        "titles with buttons": [
            'tab "SQL"  #a',
            'button "Close"  #x',
            'dialog "Connect"',
            'text "Connect"  #title',
            'button "Shut"  #y',
            'dialog "Delete it?"',
            'text "Delete it?"  [role=dialog] text=Delete it?Yes',
            'button "Yes"  #z',
            'text "Rows"',
            'dialog "x"',
            'button "x"  #c',
        ],
        "message in a slot": ['alert "Too short"', 'button "Go"  button'],
        "button that only looks disabled": [
            'button "Print" looks disabled  #a',
            'button "Copy"  #b',
            'button "Undo" looks disabled  #c',
            'text "Off"',
            'button "Redo"  #d',
        ],
        "label with a link to help": [
            'text "Versions"',
            'link "Help"  [href="#h"]',
            'select next to "Versions" {}  #v',
            'link "Documentation"  [href="#i"]',
            'select "Engine" {}  #e',
        ],
        "words after much indentation": ['button "Photos"  #a'],
        "fields that are named after their component": [
            'textbox "Amount:"  #amount',
            'textbox "Price in euros"  #price',
        ],
        "what a web component declares for the field in it": [
            'textbox "Color"  #hue',
            'slider "Volume" = 30 (0 to 100)  #volume >>> input',
        ],
        "components that label components": [
            'text "Start"  x-label:nth-of-type(1)',
            'text "Pick a day"',
            'textbox "Start"  #day',
            'text "Port"  x-label:nth-of-type(2)',
            'text "Choose"',
            'combobox "Port" readonly  #choice',
        ],
        "labels with buttons and lists in them": [
            'textbox "Payee"  #p',
            'option "Ada"  li',
            'textbox "Account"  #a',
            'button "more"  #m',
            'checkbox "Terms" off  #t',
            'button "Terms"  #b',
        ],
        "labels of fields that only say what to enter": [
            'text "Start"',
            'textbox "Select date" next to "Start"  #start',
            'textbox "End date"  #end',
            'text "Return"',
            'textbox "Select date" next to "Return"  #return',
            "# Boats",
            'textbox "Search"  #search',
            'text "Until"',
            'textbox "Select date" next to "Until"  #until',
            'text "Team"',
            'text "Select"',
            'text "Reds"',
            'combobox next to "Team" = "Reds"  #team',
            'text "City"',
            'text "Rome"',
            'combobox next to "City" = "Rome"  #city',
        ],
        "field with decoration in front": ['text "Zone:"', 'combobox next to "Zone:" = "Rome"  #zone'],
        "values in the label of a list": [
            'button "Remove"  [aria-label=Remove]',
            'combobox "Colors" = "red" collapsed  #c',
        ],
    },
    "labelledby": {
        "hidden parts of what names it": ['button "Shown"  #b', 'text "Shown"  #l', 'button "Hidden"  #c'],
        "value that a combobox refers to": ['combobox "Plan" = "Pro" collapsed  #box'],
        "value of a button that opens a list, and what clears it": ['button "Europe" collapsed  #list'],
        "hidden name of a field with a label": ['textbox "Color"  #f'],
        "combobox in place of a field, and its value": [
            'combobox "Plan" = "Pro" collapsed  #box',
            'button "Clear"  #clear',
        ],
    },
    "rows": {
        "rows and cells that are placed freely": [
            'row "b | 2 min"',
            'link "b"  [href="#b"]',
            'row "c | 3 min"',
            'link "c"  [href="#c"]',
        ],
        "rows by their places": ['row "above"', 'row "below"'],
        "row with what selects it": ['row "Ada"  div', 'checkbox "Toggle" off  #c'],
        "headers that sort, and a cell that is checked": [
            *('clickable "Name"  #h', 'clickable "Age"  #s', 'gridcell "yes" on  #d'),
        ],
        "menu that a row has opened, and an icon with a text for screen readers": [
            'row "Home | live"',
            'button "More"  button',
            'text "Page:"',
            'link "Unpublish"  tr text=Home >>> a',
            'checkbox "Pick" off  #c',
        ],
        "files that arrow keys reach from the first one": [
            'button "a.csv"  [role=button]',
            'text "2"',
            'button "b.csv"  .file text=b.csv',
            'text "3"',
        ],
    },
    "drawings": {
        "sheet with something on it": ["draggable 300x300  #sheet", 'button "Node"  [role=button]'],
        "nodes and ports of a drawing": [
            'draggable "inject"  svg > g',
            'draggable next to "inject" black 10x10 at 80,0  g > g',
            "circle black 40x40 at 180,30  circle",
        ],
        # The text before a node belongs to another one.
        "buttons of nodes": [
            'draggable "inject"  svg > g:nth-of-type(1)',
            'clickable next to "inject" black 10x30 at 0,0  g:nth-of-type(1) > g',
            'draggable "debug"  g:nth-of-type(2)',
            'clickable next to "debug" black 10x30 at 100,0  g:nth-of-type(2) > g',
        ],
        "HTML in a drawing": ["rect black 80x30 at 0,0  rect", 'text "Start"'],
        "node of a drawing with many shapes": ['draggable "inject"  g'],
        "part of a drawing without size": ["draggable black 80x30 at 0,0  g:nth-of-type(2)"],
        "shapes that can be acted on": [
            'text "Drag them"',
            "clickable circle red 20x20 at 20,20  circle",
            "clickable rect blue 30x10 at 60,20  rect",
        ],
        "described nodes on a sheet": [
            'draggable "Slide"  #pane',
            'draggable "Source"  #node',
            'text "Slide"  [role=group] text=Slide',
        ],
        "illustration": ['text "read"'],
    },
    "canvas": {
        "table in a canvas": ["canvas  canvas", 'row "id | state"', 'row "EV0 | free"'],
        "layers of one picture": ["canvas  #top"],
        "canvas of half of the window": [CANVAS, "canvas  canvas"],
        "canvas of half of the window, most of it out of sight": ["canvas  canvas"],
        "canvas below and to the right of the window": ["-- out of sight --", "canvas  canvas"],
    },
    "noise": {
        "branch of a tree": [
            *('treeitem "Fruit" expanded  #t', 'treeitem "Apple"  #a'),
            *('treeitem "Trees" expanded  #w', 'treeitem "Birch"  #b'),
        ],
        "copy that is measured only": ['button "Booking"  body > button'],
        "long class name of a box": [
            'text "read"',
            "box .a-very-long-class-name-of-a-box red 90x90  .a-very-long-class-name-of-a-box",
            "box blue 90x90  div:nth-of-type(2)",
        ],
        "texts for screen readers, glyphs and what cannot be seen": ['text "read"'],
        "texts that the lines of elements repeat": [
            'textbox "Room"  #room',
            'slider "Nights" = 2 (1 to 14)  #n',
            'text "Guests"',
            'text "2"',
            'clickable "free"  #free',
            'text "until May"',
            'text "Open"  p:nth-of-type(7)',
            'button "Open"  button',
        ],
        "handles of controls": [
            'switch "Wifi" on  #wifi',
            'slider "Volume" = 3  #volume',
            'slider "Price" = 2|8  #price',
            "clickable 20x20  #from",
            "clickable 20x20  #to",
        ],
        "field that only gives a form its value": ['text "read"'],
        "list that something else stands for": ['text "Room"', 'button "Single"  #b'],
        "list that is transparent while it is shut": ['clickable "Red"  #list', "-- out of sight --", 'text "Later"'],
        "backdrop": ['text "read"'],
        "nearly gray box": ['text "read"', "box gray #bbbba5 90x90  #gray"],
        "placeholders": [
            "The page is still loading (placeholders). List it again for the rest.",
            'text "read"',
        ],
        "native list that a script has hidden to draw its own": ['combobox "Letter" = "a" collapsed  #c'],
        "guard that returns the focus": ['button "Save"  button', 'link "Skip to content"  [href="#main"]'],
        "lines between items of a menu": ['menuitem "Copy"  #copy', 'menuitem "-"  #less'],
        "dialog of a component that is closed": ['button "Open"  button'],
        "empty cells of a table with lines": ['text "read"', "box red 94x34  #red"],
        "header without a height, whose copy is drawn above": ['row "Ada | 36"'],
        "field that shows how a word goes on": ['textbox "Author" = "Ada"  #f'],
        "signs around the links of a heading": ["# Types", 'link "edit"  [href="#e"]', 'link "source"  [href="#s"]'],
        "element that takes the focus for its parts": [
            "# Connect",
            'button "Test"  #a',
            'button "Back"  #b',
            'textbox "Name"  #c',
            'clickable "Boat"  #card',
            'button "Rent"  #d',
        ],
        "table that shows itself in a tab that is not open": ['text "read"', 'button "Open"  #c'],
    },
    "twins": {
        "native list with one drawn in its place": ['combobox "Color" = "Red" collapsed  #drawn'],
        "text field that only gives a form its value": ['combobox "Tags" collapsed  #tags'],
        "buttons and a label in the place of the value": [
            'combobox "Sizes" = "Small" collapsed  #sizes',
            'button "Remove Small"  #remove',
            'combobox "Fruit" collapsed  #empty',
        ],
        "tab around its button": ['tab "One" selected  #tab'],
        "check box with a role around the native one": ['checkbox "Agree" off  #check'],
        "tabs of two names in one another": ['tab "Files Open"  #outer', 'tab "Open"  #inner'],
        "row around its only button": ['text "Bowl"  div', 'button "Bowl"  #fruit'],
        "box around a field with a drawn placeholder": ['textbox "Select date"  #day', 'text "Select date"  span'],
        "what a switch looks like": ['switch "Wifi" off  #wifi'],
        "roles that only the browser knows": [
            'radio "Big"  #big',
            'radio "Small"  #small',
            'switch "Dark" on  #dark',
        ],
        "button that is named by its label": ['button "Room" = "Double"  #room', 'button "Close"  #close'],
        "buttons with words that are not in their names": [
            'button "sort" = "State"  #state',
            'button "Notifications" = "3"  #news',
            'clickable "edit" = "Trip to Rome"  #title',
            'button "Age" sorted ascending  #age',
            'button "Filter"  #filter',
            'button "Trigger the job"  #run',
            'button "Bold"  #bold',
        ],
        "selected by nothing but a class": [
            *('link "Home" looks selected  [href="#a"]', 'link "News"  [href="#b"]'),
            *('link "Files" looks selected  [href="#c"]', 'link "Peers"  [href="#d"]'),
            *('link "List" looks selected  [href="#e"]', 'link "Create"  [href="#f"]'),
            *('button "S" looks selected  #s', 'button "M"  #m'),
            # There is no other one that can be selected, or the state is declared.
            *('button "Live"  #live', 'button "Dead" disabled  #dead', 'button "On"  #on', 'button "Off"  #off'),
            'button "Save"  #save',
        ],
        "options that begin with the same words": [
            'select "Refresh" {Never refresh thi...*|Refresh this page every 2 minutes|Refresh this page every 5 minutes}'
            "  #again"
        ],
        "drawn list that is labeled with its value": [
            'text "Status"',
            'combobox next to "Status" = "Open" collapsed  span',
        ],
        "card whose title names its radio button": [
            'radio "Single run" off  #single',
            'text "For one day"',
            'radio "Backfill" off  #many',
        ],
        "icons that label hidden radio buttons": [
            'radio off tooltip "Hide it if sold out"  #hide',
            'radio off icon "info"  #show',
        ],
        "row with a button without words": [
            'clickable "Ada"  tr',
            'button "Row collapsed"  [aria-label="Row collapsed"]',
        ],
        "label that contains the value": ['slider "Volume" = 3  #volume'],
        "border that is drawn over a box": ['button "Go"  #go'],
        "places before the first of a month": ['gridcell "1 March"  #first'],
        "part of a web component": [
            "clickable [part=toggle-button] 20x20  div:nth-of-type(1)",
            "clickable [part~=less] 20x20  div:nth-of-type(2)",
        ],
        "label of a field in several boxes": ['text "Search"', 'textbox next to "Search"  #deep'],
        "signs between parts": ['spinbutton "Month" = 1  #month', 'spinbutton "Year" = 2026  #year'],
        "box with an icon around a combobox": ['text "Italy"', 'combobox "Place" readonly  #place'],
        "what a check box without a size looks like": ['switch "On" off  #on'],
        "check boxes in entries of a list": [
            'checkbox of "Item a" off  #a',
            'text "Item a"',
            'checkbox of "Item b" off  #b',
            'text "Item b"',
        ],
        "items of a menu around their links": [
            'link "Charts"  [href="#charts"]',
            'menuitem "SQL" collapsed  #two',
            'link "SQL"  [href="#sql"]',
        ],
        "tabs around their links": ['tab "General" selected  #one', 'tab "Speed"  #two'],
        "border of a field with its label": ['textbox "Users"  #users'],
        "field next to a check box that is drawn": ["password empty  #pw", 'checkbox "Keep it" off  #keep'],
        "button that lets the mouse through": ['button "Save" not clickable  #a', 'button "Copy"  #b'],
        "tabs of a web component, and a button in one that lets the mouse through to it": [
            'tab "Photos" selected  #a',
            'tab "Videos"  #b',
            'text "Skipped"',
            'button "All"  button',
        ],
        "check boxes in labels, drawn by the page": ['switch "Wifi" off  #wifi', 'radio "SSD" on  #ssd'],
        "label of a drawn check box after it": ['checkbox "Beta" off  #c'],
        "place of a field among chosen options": ['option "Red"  #a', 'combobox "Colors"  #f'],
        "part that takes the focus to be scrolled": ['text "read"'],
        "application that takes the focus": ['text "Draw"', 'button "Pen"  button'],
        "what a file field looks like": ['file "Photo" empty  #file'],
        "part of a branch that takes the mouse": [
            'treeitem "Docs" collapsed  #docs',
            'treeitem "More"  #more',
            'clickable "More"  b',
        ],
        "track of a slider": ["slider = 30 (0 to 100)  #size"],
        "native list with a link drawn in its place": ['text "Team"', 'combobox next to "Team" = "Reds"  [href="#"]'],
    },
    "layers": {
        "page that is a fixed layer": ['button "app"  button text=app', 'button "menu"  button text=menu'],
        "list above a dialog": [
            'A dialog "Edit" lies over the page: only what is in it or above it is listed.',
            'dialog "Edit"',
            'button "Save"  [aria-label=Edit] > button',
            'option "one"  [role=option]',
        ],
        "texts above a dialog": [
            'A dialog "Edit" lies over the page: only what is in it or above it is listed.',
            'dialog "Edit"',
            'button "Save"  button',
            'text "one"',
        ],
        "open menu": [
            'Open above the page: menu "File"  #m',
            'menuitem "Open"  [role=menuitem]',
            'button "File"  button',
        ],
        "menu whose role imitates a line": ["Open above the page: menu  #p", 'button "In it"  button'],
        "small layer that has the focus": [
            "Open above the page: popover  #filter",
            'button "Contains"  #filter > button',
            'textbox "Filter" focused  [aria-label=Filter]',
            'button "behind"  body > button',
        ],
        "canvas over the page": [CANVAS, 'button "Zoom"  #zoom', 'link "Log"  [href="#log"]', "canvas  canvas"],
        "dialog in a layer that scrolls it": [
            'A dialog "Ask" lies over the page: only what is in it is listed.',
            'dialog "Ask"',
            'button "Yes"  [aria-label=Ask] > button',
        ],
        "backdrop over a page that is placed freely": [
            'A dialog "Ask" lies over the page: only what is in it is listed.',
            'dialog "Ask"',
            'button "Yes"  [aria-label=Ask] > button',
        ],
        "field that is raised above a backdrop": [
            "A dialog lies over the page: only what is in it or above it is listed.",
            'link "One"  [href="#one"]',
            'textbox "Search"  #q',
        ],
        "backdrop that scrolls with the page": [
            "A dialog lies over the page: only what is in it or above it is listed.",
            'button "Yes"  button text=Yes',
        ],
        "hidden boxes above a backdrop": [
            "A dialog lies over the page: only what is in it or above it is listed.",
            'radio "Pear" off  #pear',
        ],
        "menu that takes all input": [
            'A menu "File" lies over the page: only what is in it is listed.',
            'menuitem "Open"  [role=menuitem]',
        ],
        "part of a panel that declares itself modal": [
            'button "Save"  body > button',
            'button "Undo"  button text=Undo',
            'dialog "Colors"',
            'button "Red"  [aria-label=Colors] > button',
        ],
        "menu of links without a role": [
            "Open above the page: popover  #m",
            'link "Cut"  [href="#a"]',
            'link "Paste"  [href="#b"]',
            'button "Copy"  button',
        ],
        "layer in an element without a size, of which a menu is only a part": [
            "Open above the page: popover  #cities",
            'menuitem "Oslo"  [role=menuitem]',
            'button "OK"  #cities > button',
            'button "City"  body > button',
        ],
        "menu that is all of its layer": [
            "Open above the page: menu  #more",
            'menuitem "Edit"  [role=menuitem] text=Edit',
            'menuitem "Copy"  [role=menuitem] text=Copy',
            'button "More"  button',
        ],
        "menu in a layer that lets the mouse through": [
            "Open above the page: popover  #m",
            'clickable "Export"  p:nth-of-type(1)',
            'clickable "Import"  p:nth-of-type(2)',
            'button "More"  button',
        ],
        "header below which the page scrolls": [
            'button "Menu"  header > button',
            'textbox "Search" focused  [aria-label=Search]',
            'button "Save"  main > button',
        ],
    },
}


@pytest.mark.parametrize(("name", "case"), [(name, case) for name, lists in LISTS.items() for case in lists])
def test_page_is_listed_as_a_user_sees_it(elements: Elements, name: str, case: str) -> None:
    elements.write(cases(name)[case])

    assert lines_of(elements) == LISTS[name][case]


def test_words_of_a_drawing_are_listed_on_a_busy_page_and_name_what_lies_over_them(elements: Elements) -> None:
    veil = "<rect onclick=1 width=90 height=30 style='fill-opacity: 0' />"
    drawing = f"<g><text x=20 y=20>South</text>{veil}</g><text x=120 y=50>17</text><rect width=20 height=20 />"
    elements.show("<button>b</button>" * 16 + f"<svg width=200 height=60>{drawing}</svg>")

    others = [line for line in lines_of(elements) if not line.startswith("button")]
    assert [line.split('" ')[0] for line in others] == ['text "South', 'clickable "South']


def test_every_case_of_a_page_has_its_list() -> None:
    assert {name: list(cases(name)) for name in LISTS} == {name: list(lists) for name, lists in LISTS.items()}
    assert list(cases("selectors")) == list(SELECTORS)


def test_what_is_open_above_a_long_page_is_listed_once(elements: Elements) -> None:
    layer = "<div style='height: 9px'><div role=dialog style='position: fixed; top: 0; z-index: 1'>{}</div></div>"
    elements.write(
        "<p style='height: 2000px'>far</p>" + "<button>a</button>" * 160 + layer.format("<button>OK</button>")
    )

    assert len([line for line in listed(elements)["text"].splitlines() if line.startswith('button "OK"')]) == 1
    assert listed(elements)["total"] == 161


def test_dialog_over_a_long_page_is_listed_completely(elements: Elements) -> None:
    question = "Do you want to delete these files for ever, and their copies, too?"
    dialog = (
        f"<div role=dialog aria-modal=true style='position: fixed; inset: 0; background: white'><p>{question}</p></div>"
    )
    elements.write("<button>a</button>" * 160 + dialog)

    assert f'text "{question}"' in lines_of(elements)


def test_page_without_interactive_elements_does_not_claim_to_list_any(elements: Elements) -> None:
    elements.write("<p>read</p>")
    texts = listed(elements)
    elements.write("<p>read</p><button>a</button>")

    assert (texts["total"], texts["text"].splitlines()[-1]) == (0, "No interactive elements here.")
    assert listed(elements)["text"].splitlines()[-1] == "1 element, all listed."


def test_page_that_is_being_replaced_is_empty(elements: Elements) -> None:
    elements.write("<p>read</p>")
    elements.page.evaluate("document.documentElement.remove()")

    assert listed(elements)["text"] == "No interactive elements here."
    assert elements.refusal("", "focus")[0] == "UNREADABLE_PAGE"


def test_shapes_boxes_and_icons_on_a_page_with_enough_other_elements_are_listed_only_on_search(
    elements: Elements,
) -> None:
    elements.write(cases("boxes")["box among enough other elements"])

    named = 'box "Pay" red 90x90  #pay'
    assert [line for line in lines_of(elements) if line.startswith("box")] == [named]
    assert lines_of(elements, find="box") == ["box red 90x90  #box", named]
    assert [line for line in lines_of(elements) if line.startswith("image")] == ["image tree.png 90x90  #boat > img"]
    assert "image oak.png 20x20  #go > img" in lines_of(elements, within="body")


def test_row_that_is_found_is_listed_with_what_can_be_done_in_it(elements: Elements) -> None:
    elements.write(cases("names")["fields of a table"])

    box, row, *rest = LISTS["names"]["fields of a table"][1:]
    assert lines_of(elements, find="zoe") == [box, f"{row}  tbody > tr", *rest]


def test_names_for_developers_and_other_spellings_are_searched_too(elements: Elements) -> None:
    elements.write(
        "<button id=go>a</button><button data-testid=run-all><svg></svg></button><input name=q><a id=own href=#>It\u2019s</a>"
    )

    for find, selector in [
        ("GO", "#go"),
        ("run", "[data-testid=run-all]"),
        ("q", "[name=q]"),
        ("it's", "#own"),
    ]:
        (line,) = lines_of(elements, find=find)
        assert line.endswith(f"  {selector}")


def test_value_is_searched_completely_and_shown_completely_when_listed_alone(elements: Elements) -> None:
    elements.write(cases("long-values")["a text of many lines"])
    value = "first line\n" + "words " * 300 + "needle"

    (found,) = lines_of(elements, find="needle")
    (whole,) = lines_of(elements, within="#t")

    assert found.endswith('..."  #t')
    assert whole == 'textbox = "{}"  #t'.format(" ".join(value.split(" ")).replace("\n", "\\n"))


# --- Pages that are still being drawn


def test_page_that_is_still_drawing_is_reported(elements: Elements) -> None:
    pages = cases("still-drawing")
    for sign, line in (
        ("busy part", 'button "a"  button'),
        ("skeleton", 'button "a"  button'),
        ("spinner", 'button "a"  button'),
        ("progress", 'text "Creating the budget..."'),
    ):
        elements.write(pages[sign])
        loading = lines_of(elements)
        assert loading[0].startswith("The page is still loading (")
        assert line in loading

    elements.write(pages["drawn"])
    assert lines_of(elements)[0] == 'button "a"  button'


# --- Repetition


def test_toolbar_is_listed_completely_and_repetitions_are_counted_with_an_exact_pattern(elements: Elements) -> None:
    elements.write(cases("repetition")["toolbar and rows"])

    lines = lines_of(elements)
    patterns = [line.split('"')[1] for line in lines if " more " in line]

    assert sum("title=" in line for line in lines) == 14
    assert sum('button "Add to cart"' in line for line in lines) == 3
    assert len("\n".join(lines)) > 2_000
    assert len(patterns) == 3
    for pattern in patterns:
        assert elements.page.evaluate("(pattern) => document.querySelectorAll(pattern).length", pattern) == 150


def test_fields_and_a_short_menu_are_never_collapsed(elements: Elements) -> None:
    elements.write(cases("repetition")["menu, fields and links"])

    lines = lines_of(elements)

    assert sum(line.startswith("menuitem") for line in lines) == 30
    assert sum(line.startswith("textbox") for line in lines) == 18
    assert lines[-1].endswith(' more links like "a"')


def test_boxes_that_differ_only_in_their_places_are_counted(elements: Elements) -> None:
    elements.write(cases("repetition")["rows of a long table"])

    lines = lines_of(elements)

    assert sum(line.startswith("checkbox") for line in lines) == 3
    assert '87 more checkboxes like "input"' in lines


# --- Selectors

SELECTORS = {
    "id of a library": "[title=Go]",
    "id with a number of a library": "button",
    "id that counts the fields of a library": "button",
    "id that counts the lists of a page": "[title=Go]",
    "id that counts the tabs of a page": "[title=Go]",
    "id with a counter of Solid in its middle": "[title=Go]",
    "date of a day": '[data-date="2026-03-05"]',
    "end of a generated id": '[id$="-trigger-usage"]',
    "class of a library": "p > button",
    "class that names what it is": ".save-button",
    "class of a state": "p > button",
    "own id": "#go",
    "end of another generated id": '[id$="-trigger-usage"]',
    "id with a short hash": "[title=Go]",
    "generated id": "button",
    "id with a counter of React in its middle": "[title=Go]",
    "id of random letters": "[title=Go]",
    "id of random signs": "[title=Go]",
    "class of an editor that is open": "p > button",
    "counted id": "[name=host]",
    "id with a drawn number": "[aria-label=Seek]",
    "counted id without another name": "#c94",
    "class of the other state": "p > button",
    "class of a form that is unchanged": "p > button",
    "attribute for a state": "p > button",
    "attribute for two states": "p > button",
    "attribute for the order of a column": "p > button",
    "classes that are hashes": "p > button",
    "value of a field": "p > input",
    "id drawn by lot": "[title=Go]",
    "name with a narrow space": "p > button",
    "name with an invisible letter": "p > button",
    "name with a plain space": '[aria-label="At 1:42 pm"]',
    "counted id and a name that is not unique": "[data-testid=new] [name=host]",
    "name that is not unique in a named part": "#edit-5 [name=title]",
    "text that is the value": "i:nth-of-type(1)",
    "text of an editor": "div:nth-of-type(1) > p",
    "text of an editor that is read-only": "[role=textbox] text=Beta",
}


@pytest.mark.parametrize("case", SELECTORS)
def test_selector_is_short_and_survives_a_redraw(elements: Elements, case: str) -> None:
    elements.write(cases("selectors")[case])

    assert lines_of(elements)[0].split("  ")[1] == SELECTORS[case]


def test_button_in_a_host_with_the_same_name_is_reached_through_the_host(elements: Elements) -> None:
    elements.write(cases("hosts")["buttons in hosts with their names"])

    selectors = [line.split("  ")[1] for line in lines_of(elements)]

    assert selectors == ["[aria-label=New] >>> button", "[aria-label=Old] >>> button"]
    for selector in selectors:
        assert elements.evaluate(f"new search.Search({json.dumps(selector)}).find().length") == 1


def test_no_selector_counts_siblings_where_something_stable_leads_to_the_element(elements: Elements) -> None:
    elements.write((PAGES / "stable-selectors.html").read_text(encoding="utf-8"))

    lines = lines_of(elements)

    selectors = [line.split("  ")[1] for line in lines if "  " in line]
    assert selectors == [
        *("li text=File", "li text=Edit", "[data-palette-type=inject]", "[data-palette-type=debug]"),
        *('[href="#title"]', 'tr:has([href="#title"]) input', '[href="#subtitle"]', 'tr:has([href="#subtitle"]) input'),
        *('[aria-rowindex="1"] > div', '[aria-rowindex="2"] > div'),
        # Generated ids and figures do not outlive anything.
        *("p > button:nth-of-type(1)", "p > button:nth-of-type(2)"),
        *("dd:nth-of-type(1) > button", "dd:nth-of-type(2) > button", "dd:nth-of-type(3) > button"),
        *("button text=Deploy all", "button text=Deploy"),
        *("[placeholder=City]", "select", "b > button", "b > i"),
        *("label text=Strip headers >>> input", "label text=Show hosts >>> input"),
        *("label:nth-of-type(3) > input:nth-of-type(1)", "input:nth-of-type(2)"),
        *("#input-v-4", "tr text=Tea >>> button text=Edit", "tr text=Tea >>> button text=Delete", "tr text=Tea >>> i"),
        *("#input-v-7", "tr text=Coffee >>> button text=Edit", "tr text=Coffee >>> button text=Delete"),
        *("tr text=Coffee >>> i", "li text=list-1.txt >>> button", "li text=list-2.txt >>> button"),
        # These have the same text.
        *("li:nth-of-type(3)", "li:nth-of-type(3) > button", "li:nth-of-type(4)", "li:nth-of-type(4) > button"),
    ]
    for selector in selectors:
        assert elements.evaluate(f"new search.Search({json.dumps(selector)}).find().length") == 1


def test_icon_that_closes_a_tab_is_listed_and_is_not_in_the_name_of_the_tab(elements: Elements) -> None:
    elements.write((PAGES / "closable-tabs.html").read_text(encoding="utf-8"))

    assert lines_of(elements) == [
        'tab "data.csv"  [role=tab] text=data.csv',
        'clickable "Close data.csv"  [title="Close data.csv"]',
        'tab "notes.md"  div:nth-of-type(2)',
        'clickable "✕" next to "notes.md"  .close',
        'tab "old.txt *"  div:nth-of-type(3)',
    ]


def test_list_that_only_screen_readers_read_is_left_out(elements: Elements) -> None:
    elements.write(
        """<style>.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) }</style>
        <input role=combobox aria-label=Fruit aria-expanded=false>
        <ul role=listbox tabindex=-1 class=spoken><li role=option tabindex=-1>Apple</ul>
        <ul role=listbox tabindex=-1 aria-label=Tea><li role=option tabindex=-1>Mint</ul>"""
    )

    assert [line.split("  ")[0] for line in lines_of(elements)] == [
        *('combobox "Fruit" collapsed', 'listbox "Tea"', 'option "Mint"'),
    ]
