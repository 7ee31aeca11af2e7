// A shop as shops are written: one page that JavaScript draws, and a server that takes its time.

const BATCH = 6;
const DELIVERY = { post: 390, courier: 990 };
const main = document.querySelector("main");
const search = document.querySelector("[type=search]");
const cart = JSON.parse(sessionStorage.cart ?? "{}");
const fields = { delivery: "post" };
const answer = fetch("teas.json").then((reply) => reply.json());
let card = "";
let order = {};
let draws = 0;
let typing = 0;
window.dataLayer = [];

const money = (cents) => (cents / 100).toLocaleString("en", { style: "currency", currency: "EUR" });
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const linesOf = (teas) => teas.filter(({ id }) => cart[id]).map((tea) => ({ ...tea, quantity: cart[tea.id] }));
const sumOf = (lines) => lines.reduce((sum, { cents, quantity }) => sum + cents * quantity, 0);
const toPay = (lines) => sumOf(lines) + DELIVERY[fields.delivery];

function stamp(id, texts = {}) {
  const copy = document.getElementById(id).content.cloneNode(true);
  for (const slot of copy.querySelectorAll("[data-text]")) slot.textContent = texts[slot.dataset.text];
  return copy;
}

function track(event, cents, lines, more = {}) {
  const items = lines.map(({ id, name, quantity = 1 }) => ({ item_id: id, item_name: name, quantity }));
  window.dataLayer.push({ event, ecommerce: { currency: "EUR", value: cents / 100, items, ...more } });
}

const pages = {
  list(teas, query) {
    const words = (query.get("q") ?? "").toLowerCase();
    const kinds = [query.get("kind") ?? "", query.get("organic") ?? ""];
    const found = teas.filter(
      ({ name, kind }) => name.toLowerCase().includes(words) && kinds.every((each) => kind.includes(each)),
    );
    main.append(stamp("list", { heading: `Our ${kinds.join(" ")} teas`, count: `Teas found: ${found.length}` }));
    main.querySelector("[name=organic]").checked = query.has("organic");
    track("view_item_list", 0, found);
    const more = main.querySelector(".more");
    const showMore = () => {
      for (const tea of found.splice(0, BATCH)) {
        const copy = stamp("card", { ...tea, price: money(tea.cents) });
        Object.assign(copy.firstElementChild.dataset, tea);
        main.querySelector("ul").append(copy);
      }
      more.hidden = !found.length;
    };
    showMore();
    new IntersectionObserver(([entry]) => entry.isIntersecting && showMore()).observe(more);
  },
  checkout(teas) {
    const lines = linesOf(teas);
    main.append(stamp("checkout"));
    for (const { id, name, cents, quantity } of lines) {
      const copy = stamp("line", { text: `${quantity} x ${name} ${money(cents)}` });
      copy.firstElementChild.dataset.id = id;
      main.querySelector("ul").append(copy);
    }
    track("begin_checkout", sumOf(lines), lines);
    drawForm();
  },
  thanks: () => main.append(stamp("thanks", order)),
};

async function draw() {
  const turn = ++draws;
  main.textContent = "One moment ...";
  const teas = await answer;
  await pause(200);
  if (turn !== draws) return;
  const query = new URLSearchParams(location.search);
  main.replaceChildren();
  pages[query.get("page") ?? "list"](teas, query);
  search.value = query.get("q") ?? "";
  document.title = `${main.querySelector("h1").textContent} - Skarholm Tea`;
  putInCart();
}

function go(address, how) {
  history[how](null, "", address);
  return draw();
}

function putInCart(id, quantity) {
  if (id) cart[id] = quantity;
  sessionStorage.cart = JSON.stringify(cart);
  document.querySelector(".basket b").textContent = Object.values(cart).reduce((sum, each) => sum + each, 0);
}

// --- The order's form holds what the state holds, whatever was typed

async function drawForm() {
  for (const field of main.querySelector("form").elements) {
    if (field.type === "radio") field.checked = fields[field.name] === field.value;
    else if (field.type === "checkbox") field.checked = fields[field.name];
    else if (field.name) field.value = fields[field.name] ?? "";
  }
  main.querySelector("form strong").textContent = money(toPay(linesOf(await answer)));
}

function* faults({ elements }) {
  if (!fields.name) yield "Please tell us your name.";
  if (!fields.email || !elements.email.validity.valid) yield "Please give a valid e-mail address.";
  if (!/^\d{4}$/.test(fields.postcode)) yield "The postcode has four digits.";
  if (!fields.country) yield "Please choose a country.";
  if (!elements.day.validity.valid) yield "That day is over.";
  if (card.length !== 16) yield "The card number has 16 digits.";
  if (!fields.terms) yield "Please agree to the terms.";
}

async function placeOrder(form) {
  const found = [...faults(form)].join(" ");
  form.querySelector("[role=alert]").textContent = found;
  if (found) return;
  const button = form.querySelector("button");
  button.disabled = true;
  await pause(400);
  button.disabled = false;
  if (card.startsWith("4000")) return alert("Your bank has refused this card.");
  const lines = linesOf(await answer);
  order = { ...fields, id: `SK-${crypto.randomUUID().slice(0, 8).toUpperCase()}`, sum: money(toPay(lines)) };
  track("purchase", toPay(lines), lines, { transaction_id: order.id, customer: { email: order.email } });
  console.debug(`Order ${order.id} sent`);
  for (const { id } of lines) putInCart(id, 0);
  void go("?page=thanks", "pushState");
}

// --- What the customer does

const clicks = {
  "a[data-go]": (link) => go(link.getAttribute("href"), "pushState"),
  ".add": async (button) => {
    const item = button.closest("li");
    const quantity = item.querySelector("quantity-stepper").value;
    await pause(150);
    putInCart(item.dataset.id, (cart[item.dataset.id] ?? 0) + quantity);
    track("add_to_cart", item.dataset.cents * quantity, [{ ...item.dataset, quantity }]);
  },
  ".remove": (button) => {
    if (!confirm("Remove this tea from your cart?")) return;
    putInCart(button.closest("li").dataset.id, 0);
    void draw();
  },
  ".cookies button": (button) => button.closest(".cookies").remove(),
};

document.addEventListener("click", (event) => {
  const [selector, act] = Object.entries(clicks).find(([each]) => event.target.closest(each)) ?? [];
  if (!selector) return;
  event.preventDefault();
  void act(event.target.closest(selector));
});

document.addEventListener("input", ({ target: { name, type, value, checked, form } }) => {
  if (form) {
    fields[name] = type === "checkbox" ? checked : name === "postcode" ? value.replace(/\D/g, "") : value;
    return drawForm();
  }
  const query = new URLSearchParams(location.search);
  const [key, wanted] = type === "search" ? ["q", value] : [name, checked && name];
  if (wanted) query.set(key, wanted);
  else query.delete(key);
  clearTimeout(typing);
  typing = setTimeout(() => go(`?${query}`, "replaceState"), 250);
});

document.addEventListener("submit", (event) => {
  event.preventDefault();
  void placeOrder(event.target);
});
addEventListener("popstate", draw);
addEventListener("message", ({ origin, data }) => origin === location.origin && (card = data.card));

customElements.define(
  "quantity-stepper",
  class extends HTMLElement {
    value = 1;

    connectedCallback() {
      const [less, shown, more] = ["button", "output", "button"].map((tag) => document.createElement(tag));
      const step = (by) => (shown.textContent = this.value = Math.max(1, this.value + by));
      Object.assign(less, { textContent: "-", ariaLabel: "One less", onclick: () => step(-1) });
      Object.assign(more, { textContent: "+", ariaLabel: "One more", onclick: () => step(1) });
      this.attachShadow({ mode: "open" }).append(less, shown, more);
      step(0);
    }
  },
);

void draw();
