// Runs in the isolated world of every frame, before the page's own scripts where it can, and tells what is done to the page
// through a function that only this world has. It hears and never acts; the page sees nothing of it.
//
// A message is {k: kind, t: trusted, …}; of what is done to an element also {n: nodes, at, hit, i}: the element with all
// that is around it, in the form of a walk (see walk.js), the numbers of the control and of the innermost element that
// was hit, a number of the control that stays the same in this world, `p`: where each of those stands (see `placesOf`), and
// `l` where the name may be more than the text that is told, `w` where it is no control that was hit, but something in it or
// around it may be meant for one.
(() => {
  "use strict";
  const keep = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true });
  const has = (name) => Object.hasOwn(globalThis, name); // ids of elements are names in this world, too, but not own
  if (has("exactChangeHears") || !has("exactChangeSay")) return;
  keep("exactChangeHears", true);
  const tell = globalThis.exactChangeSay;

  // Elements of a page may be called like properties of forms and of the document: every property is the prototype's.
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (object) => get.call(object);
  };
  const method = (type, name) => {
    const call = type.prototype[name];
    return (object, ...given) => call.apply(object, given);
  };
  const localName = getter(Element, "localName");
  const shadowRoot = getter(Element, "shadowRoot");
  const nodeType = getter(Node, "nodeType");
  const childNodes = getter(Node, "childNodes");
  const getRootNode = method(Node, "getRootNode");
  const contains = method(Node, "contains");
  const data = getter(CharacterData, "data");
  const matches = method(Element, "matches");
  const getAttributeNames = method(Element, "getAttributeNames");
  const getAttribute = method(Element, "getAttribute");
  const isContentEditable = getter(HTMLElement, "isContentEditable");
  const checkVisibility = method(Element, "checkVisibility");
  const readyState = getter(Document, "readyState");
  const rootElement = getter(Document, "documentElement");
  const parentElement = getter(Node, "parentElement");
  const parentNode = getter(Node, "parentNode");
  const host = getter(ShadowRoot, "host");
  const previousElementSibling = getter(Element, "previousElementSibling");
  const findAll = method(Document, "querySelectorAll");
  const findBelow = method(Element, "querySelectorAll");
  const { ELEMENT_NODE, TEXT_NODE } = Node;

  const DEEPEST = 100;
  const LONGEST = 200; // of an attribute
  const MOST_ATTRIBUTES = 30;
  const LONGEST_NAME = 300; // of the text that names an element
  const LONGEST_VALUE = 4096;
  const MOST = [300, 3000]; // messages of a document: of scripts' own events, and of all others
  const CONTROLS =
    "a[href], button, input, select, textarea, label, summary, option, " +
    "[role=button], [role=checkbox], [role=combobox], [role=link], [role=menuitem], [role=menuitemcheckbox], " +
    "[role=menuitemradio], [role=option], [role=radio], [role=searchbox], [role=slider], [role=spinbutton], " +
    "[role=switch], [role=tab], [role=textbox], [role=treeitem]";
  // What names a control otherwise than by the text that can be seen in it.
  const NAMING =
    "[aria-hidden], [aria-label], [aria-labelledby], [role], [title], canvas, img, input, math, object, select, slot, svg, " +
    "textarea, video";
  const LABELLED = "button, input, meter, output, progress, select, textarea";
  const MARKED = new Set(["submit", "reset", "button", "image", "checkbox", "radio"]); // no person writes their value
  const NO_TEXT = new Set(["input", "select", "textarea", "script", "style", "noscript", "template"]);
  const DROPPED = /^(?:on.*|style|srcdoc|nonce|integrity|data-.*(?:passw|secret|token|csrf|xsrf|nonce|api-?key).*)$/i;

  // Once a password field, always one. The walk shares what is known here.
  const secrets = has("exactChangeSecrets") ? globalThis.exactChangeSecrets : new WeakSet();
  if (!has("exactChangeSecrets")) keep("exactChangeSecrets", secrets);
  const numbers = new WeakMap();
  const said = [0, 0];
  let last = 0;

  const numberOf = (element) => {
    if (!numbers.has(element)) numbers.set(element, (last += 1));
    return numbers.get(element);
  };

  const send = (trusted, message) => {
    const which = trusted ? 1 : 0;
    said[which] += 1;
    if (said[which] > MOST[which] + 1) return;
    tell(JSON.stringify(said[which] > MOST[which] ? { k: "flood", t: trusted } : { t: trusted, ...message }));
  };

  const isEditor = (element) => element instanceof HTMLElement && isContentEditable(element);

  // The text in an element that a person can see, without that of the controls in it.
  const textOf = (element) => {
    let text = "";
    const todo = [element];
    while (todo.length && text.length < LONGEST_NAME) {
      const node = todo.pop();
      const type = nodeType(node);
      if (type === TEXT_NODE) text += data(node);
      else if (type === ELEMENT_NODE && !NO_TEXT.has(localName(node)) && checkVisibility(node)) {
        const children = [...childNodes(node)];
        if (localName(node) === "img") text += " " + (getAttribute(node, "alt") ?? "") + " ";
        todo.push(...children.slice(0, 200).reverse());
      }
    }
    return text.slice(0, LONGEST_NAME);
  };

  const attributesOf = (element, tag) => {
    const out = {};
    for (const name of getAttributeNames(element).slice(0, MOST_ATTRIBUTES)) {
      if (DROPPED.test(name) || (name === "value" && tag === "input" && !MARKED.has(element.type))) continue;
      out[name] = String(getAttribute(element, name)).slice(0, LONGEST);
    }
    return out;
  };

  // What is in a control is told of the one that something was done to, and of no other.
  const stateOf = (element, tag, told) => {
    const state = {};
    if (tag === "input") {
      state.t = element.type;
      if (element.type === "password") secrets.add(element);
      if (secrets.has(element)) state.s = 1;
      if (element.type === "checkbox" || element.type === "radio") state.c = element.checked;
      if (element.type === "file") state.f = told ? [...element.files].map((file) => file.name).slice(0, 100) : [];
      else if (told) state.v = element.value;
    } else if (tag === "textarea") {
      if (told) state.v = element.value;
    } else if (tag === "select") {
      if (told) state.v = [...element.selectedOptions].map((option) => option.value).slice(0, 100);
    } else if (isEditor(element)) {
      state.e = true;
      if (told) state.v = element.innerText;
    } else if (tag !== "button") return undefined;
    if (typeof state.v === "string" && state.v.length > LONGEST_VALUE) delete state.v;
    if (matches(element, ":disabled")) state.d = true;
    return state;
  };

  const elementRecord = (node, parent, told) => {
    const tag = localName(node);
    const record = [parent, tag, attributesOf(node, tag), 3];
    const state = node instanceof HTMLElement ? stateOf(node, tag, told) : undefined;
    if (state !== undefined) record.push(state);
    return record;
  };

  const labelsOf = (control) => (matches(control, LABELLED) ? [...(control.labels ?? [])].slice(0, 5) : []);

  // What names a control from elsewhere: its labels, and what it says that it is labelled by.
  const addNames = (nodes, chain, control, place) => {
    const labels = labelsOf(control);
    for (const label of labels) {
      const around = chain.indexOf(label);
      if (around >= 0) nodes.push([around, textOf(label)]);
      else nodes.push([place, "label", { for: getAttribute(control, "id") ?? "" }, 3], [nodes.length, textOf(label)]);
    }
    const root = getRootNode(control);
    for (const id of (getAttribute(control, "aria-labelledby") ?? "").split(/\s+/).slice(0, 5)) {
      const named = id === "" ? null : method(root.constructor, "getElementById")(root, id);
      if (named === null || chain.includes(named)) continue;
      nodes.push([place, "span", { id }, 3], [nodes.length, textOf(named)]);
    }
  };

  // Whether an element's name is the text that can be seen in it, as far as it is told here.
  const isPlain = (element, except) => {
    if (isEditor(element)) return true;
    const below = [...findBelow(element, "*")];
    return below.length <= 200 && below.every((inner) => inner === except || !(matches(inner, NAMING) || shadowRoot(inner)));
  };

  // Where each element stands in the page: the number of the one that it is a child of, and its place among the children.
  const placesOf = (chain) =>
    chain.map((node) => {
      let position = 0;
      if (node instanceof ShadowRoot) return [chain.indexOf(host(node)), position];
      for (let other = previousElementSibling(node); other !== null; other = previousElementSibling(other)) position += 1;
      return [chain.indexOf(parentNode(node)), position];
    });

  const described = (path, wanted, told) => {
    const chain = path.filter((node) => node instanceof Element || node instanceof ShadowRoot).slice(0, DEEPEST).reverse();
    if (!chain.length) return {};
    let at = chain.length - 1;
    while (at > 0 && !(chain[at] instanceof Element && wanted(chain[at]))) at -= 1;
    const found = chain[at] instanceof Element && wanted(chain[at]);
    if (!found) at = chain.length - 1;
    const control = chain[at];
    const nodes = chain.map((node, number) =>
      node instanceof Element
        ? elementRecord(node, number - 1, told && number === at)
        : [number - 1, "#shadow", {}, 3],
    );
    if (control instanceof Element) {
      if (!NO_TEXT.has(localName(control)) && !isEditor(control)) nodes.push([at, textOf(control)]);
      if (control instanceof HTMLElement) addNames(nodes, chain, control, Math.max(at - 1, 0));
    }
    const names = control instanceof Element ? [control, ...labelsOf(control)] : [];
    const loose = !names.every((element) => isPlain(element, control));
    const places = { p: placesOf(chain), ...(loose ? { l: 1 } : {}), ...(found ? {} : { w: 1 }) };
    return { n: JSON.stringify(nodes), at, hit: chain.length - 1, ...places, i: numberOf(control) };
  };

  const aControl = (element) => matches(element, CONTROLS) || isEditor(element);
  const aField = (element) => matches(element, "input, textarea, select") || isEditor(element);

  // A click on a label is followed by one on its control, which nobody made.
  let before = { x: 0, y: 0, leads: null };
  let scripted = null; // the element on which a script clicked last: what changes there, it changed
  const clicked = (event) => {
    const path = event.composedPath();
    const { clientX: x, clientY: y } = event;
    const follows = before.leads !== null && path[0] === before.leads && x === before.x && y === before.y;
    const label = path.find((node) => node instanceof HTMLLabelElement);
    before = { x, y, leads: label === undefined || label.control === path[0] ? null : label.control };
    if (event.isTrusted) scripted = scripted === path[0] ? null : scripted;
    else scripted = path[0];
    const told = { b: event.button, c: follows ? 0 : event.detail, ...(self === top ? { x, y } : {}) };
    send(event.isTrusted, { k: "click", ...told, ...described(path, aControl, false) });
  };

  const CHANGED = { checkbox: "check", radio: "check", file: "upload", "select-one": "select", "select-multiple": "select" };
  const kindOf = (field) => (field instanceof Element && matches(field, "input, select") ? CHANGED[field.type] : undefined);

  const written = (event) => {
    const path = event.composedPath();
    if (kindOf(path[0]) !== undefined) return; // told when it has changed
    // Of an editor the outermost element is the field.
    const outer = (element) => aField(element) && !(isEditor(element) && isEditor(parentElement(element)));
    send(event.isTrusted, { k: "fill", ...described(path, outer, true) });
  };

  const changed = (event) => {
    const path = event.composedPath();
    const kind = kindOf(path[0]);
    const sure = event.isTrusted && path[0] !== scripted;
    if (kind !== undefined) send(sure, { k: kind, ...described(path, aField, true) });
  };

  // What a single key types shows in the field; elsewhere it is not told which one it was, since it may be a secret's.
  const pressed = (event) => {
    const named = event.key.length > 1 || ((event.ctrlKey || event.metaKey) && !event.getModifierState("AltGraph"));
    const path = event.composedPath();
    if (!named && path.some((node) => node instanceof Element && aField(node))) return;
    const held = ["Control", "Alt", "Shift", "Meta"].filter((name) => name !== event.key && event.getModifierState(name));
    const keys = (event.key.length > 1 ? held : held.filter((name) => name !== "Shift")).concat(event.key).join("+");
    if (["Control", "Alt", "Shift", "Meta", "AltGraph"].includes(event.key)) return;
    send(event.isTrusted, { k: named ? "key" : "type", ...(named ? { keys } : {}), ...described(path, aControl, false) });
  };

  // Scripts may send a form by a click of their own, and nothing tells.
  const sent = (event) => send(false, { k: "submit", ...described(event.composedPath(), () => false, false) });
  // What is dragged is told when it is dropped, as it was when it was taken; and where, as one that came of it.
  let dragged = null;
  const taken = (event) => (dragged = { t: event.isTrusted, ...described(event.composedPath(), aControl, false) });
  const dropped = (event) => {
    if (dragged !== null) send(event.isTrusted && dragged.t, { k: "drag", ...dragged, t: event.isTrusted && dragged.t });
    const came = dragged === null ? {} : { c: 0 };
    send(event.isTrusted, { k: "drag", ...came, ...described(event.composedPath(), aControl, false) });
  };

  const LISTENERS = {
    click: clicked,
    auxclick: clicked,
    input: written,
    change: changed,
    keydown: pressed,
    submit: sent,
    dragstart: taken,
    dragend: () => (dragged = null),
    drop: dropped,
  };
  const leaving = new AbortController();
  const { signal } = leaving;
  const listen = () => {
    for (const [name, listener] of Object.entries(LISTENERS)) {
      addEventListener(name, listener, { capture: true, passive: true, signal });
    }
  };
  const findSecrets = () => {
    for (const field of findAll(document, "input[type=password]")) secrets.add(field);
  };

  listen();
  findSecrets();
  addEventListener("DOMContentLoaded", findSecrets, { capture: true, once: true, signal });
  // A page that opens its document anew takes all listeners away, and may have put its own first. That it did shows.
  let opened = rootElement(document);
  const reopening = new MutationObserver(() => {
    const now = rootElement(document);
    if (opened !== null && now !== opened) send(true, { k: "reopened" });
    opened = now;
    listen();
  });
  reopening.observe(document, { childList: true });
  keep("exactChangeLeave", () => {
    leaving.abort();
    reopening.disconnect();
  });
  send(true, { k: "hello", ready: readyState(document) });
})();
