// Runs in an isolated world of one frame and returns three lines of JSON: how many elements may have a closed shadow
// tree, what the document is, and its nodes.
// It looks and never acts. Whatever can be worked out from these facts (names, keys, text) is worked out elsewhere.
//
// A node is [parent, text] or [parent, tag, attributes, bits, state?]; parents are numbers of nodes, -1 for none.
// Bits: 1 it has a box, 2 its own text can be seen. A shadow root is a node called "#shadow" below its host.
(limits) => {
  "use strict";
  // A page cannot change the built-ins of this world, but the names of its own elements shadow properties of forms and of
  // the document (`<input name=lastChild>`): so every property of a node is asked of the prototype.
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (object) => get.call(object);
  };
  const method = (type, name) => {
    const call = type.prototype[name];
    return (object, argument) => call.call(object, argument);
  };
  const nodeType = getter(Node, "nodeType");
  const firstChild = getter(Node, "firstChild");
  const lastChild = getter(Node, "lastChild");
  const previousSibling = getter(Node, "previousSibling");
  const nextSibling = getter(Node, "nextSibling");
  const parentElement = getter(Node, "parentElement");
  const data = getter(CharacterData, "data");
  const localName = getter(Element, "localName");
  const attributes = getter(Element, "attributes");
  const shadowRoot = getter(Element, "shadowRoot");
  const checkVisibility = method(Element, "checkVisibility");
  const matches = method(Element, "matches");
  const hasAttribute = method(Element, "hasAttribute");
  const isContentEditable = getter(HTMLElement, "isContentEditable");
  const offsetHeight = getter(HTMLElement, "offsetHeight");
  const display = (element) => getComputedStyle(element).display;
  const { TEXT_NODE, ELEMENT_NODE } = Node;

  const NO_CONTENT = new Set(["script", "style", "noscript", "template"]);
  const SECRET = /passw|secret|token|csrf|xsrf|nonce|api-?key/i; // of attributes that are dropped; nothing is lost by more
  const DROPPED = new Set(["style", "srcdoc", "nonce", "integrity"]);
  const FRAMES = new Set(["iframe", "frame", "object", "embed"]);
  const MAY_HOST = new Set(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
  );
  const secrets = (globalThis.exactChangeSecrets ??= new WeakSet());
  const closed = (globalThis.exactChangeClosed ??= new WeakMap()); // host -> closed root, as the browser told us
  const owners = (globalThis.exactChangeOwners = new Map());
  const hosts = (globalThis.exactChangeHosts = []);
  const forms = new Map();
  const nodes = [];
  let size = 0;

  const numberOf = (form) => {
    if (!forms.has(form)) forms.set(form, forms.size);
    return forms.get(form);
  };

  // Once a password field, always one: a page may show what was typed by changing the type.
  const secret = (input) => {
    if (input.type === "password") secrets.add(input);
    return secrets.has(input);
  };

  const inputState = (input) => {
    const state = { t: input.type };
    if (secret(input)) state.s = 1;
    if (input.type === "file") state.f = [...input.files].map((file) => file.name);
    else state.v = input.value;
    if (input.type === "checkbox" || input.type === "radio") {
      state.c = input.checked;
      if (input.indeterminate) state.i = true;
      if (input.form !== null) state.g = numberOf(input.form);
    }
    return state;
  };

  const selectState = (select) => {
    const chosen = [...select.selectedOptions].map((option) => option.value);
    return { v: select.multiple ? chosen : chosen.length ? chosen[0] : null };
  };

  const nativeState = (element, tag) => {
    switch (tag) {
      case "input":
        return inputState(element);
      case "textarea":
        return { v: element.value };
      case "select":
        return selectState(element);
      case "button":
        return {};
      case "details":
      case "dialog":
        return { o: element.open };
    }
  };

  const stateOf = (element, tag) => {
    let state = nativeState(element, tag);
    if (state !== undefined) {
      if (state.o === undefined && matches(element, ":disabled")) state.d = true;
    } else if (isContentEditable(element)) {
      const above = parentElement(element);
      if (!(above instanceof HTMLElement && isContentEditable(above))) state = { e: true };
    }
    if (hasAttribute(element, "popover")) (state ??= {}).p = matches(element, ":popover-open");
    return state;
  };

  const attributesOf = (element, tag, state) => {
    const out = {};
    for (const { name, value } of attributes(element)) {
      if (name.startsWith("on") || DROPPED.has(name)) continue;
      if (name === "value" && state && state.s) continue;
      if (tag === "meta" && name === "content") continue;
      if (name.startsWith("data-") && SECRET.test(name)) continue;
      out[name] = value.length > limits.attribute ? value.slice(0, limits.attribute) : value;
      size += name.length + out[name].length + 8;
    }
    return out;
  };

  // A box of its own, or none but children that may have one.
  const boxed = (element) => checkVisibility(element) || display(element) === "contents";

  const hasText = (element) => {
    for (let child = firstChild(element); child !== null; child = nextSibling(child))
      if (nodeType(child) === TEXT_NODE && /\S/.test(data(child))) return true;
    return false;
  };

  const seen = (element, tag) =>
    !(tag === "details" && !element.open) &&
    (checkVisibility(element, { visibilityProperty: true, opacityProperty: true }) || display(element) === "contents");

  // A closed shadow tree cannot be seen from here, but it shows: in a custom element, in an element that is empty and yet
  // takes up room, and in children that have no box although nothing hides them. Whether it is one, the browser knows.
  const mayHostClosed = (element) => {
    const name = localName(element);
    if (name.includes("-")) return true;
    if (!MAY_HOST.has(name)) return false;
    let child = firstChild(element);
    if (child === null) return offsetHeight(element) > 0;
    while (child !== null && nodeType(child) !== ELEMENT_NODE) child = nextSibling(child);
    return child !== null && !NO_CONTENT.has(localName(child)) && !checkVisibility(child) && display(child) === "";
  };

  // White space between two neighbours keeps their words apart.
  const counts = (text) =>
    /\S/.test(data(text)) || (data(text) !== "" && previousSibling(text) !== null && nextSibling(text) !== null);

  const element = (node, parent, above) => {
    const tag = localName(node); // in lower case, also in XHTML
    const boxes = above && boxed(node);
    const bits = (boxes ? 1 : 0) | (boxes && hasText(node) && seen(node, tag) ? 2 : 0);
    const state = node instanceof HTMLElement ? stateOf(node, tag) : undefined;
    const record = [parent, tag, attributesOf(node, tag, state), bits];
    if (state !== undefined) record.push(state);
    size += 24 + (state && typeof state.v === "string" ? state.v.length : 0);
    if (FRAMES.has(tag)) owners.set(node, nodes.length);
    nodes.push(record);
    return boxes;
  };

  const visit = (top) => {
    const stack = [[top, -1, true]];
    while (stack.length) {
      if (nodes.length > limits.nodes || size > limits.bytes) return false;
      const [node, parent, above] = stack.pop();
      const number = nodes.length;
      const type = nodeType(node);
      if (type === TEXT_NODE) {
        size += data(node).length + 8;
        nodes.push([parent, data(node)]);
        continue;
      }
      let boxes = above;
      if (type !== ELEMENT_NODE) nodes.push([parent, "#shadow", {}, boxes ? 1 : 0]);
      else {
        boxes = element(node, parent, above);
        if (NO_CONTENT.has(localName(node))) continue;
      }
      for (let child = lastChild(node); child !== null; child = previousSibling(child)) {
        const kind = nodeType(child);
        if (kind === ELEMENT_NODE || (kind === TEXT_NODE && counts(child))) stack.push([child, number, boxes]);
      }
      if (type !== ELEMENT_NODE) continue;
      const root = shadowRoot(node) ?? closed.get(node);
      if (root) stack.push([root, number, boxes]);
      else if (boxes && node instanceof HTMLElement && mayHostClosed(node)) hosts.push(node);
    }
    return true;
  };

  const storage = (name) => {
    try {
      const area = window[name];
      const out = [];
      for (let number = 0; number < area.length; number++) {
        const key = Storage.prototype.key.call(area, number);
        out.push([key, Storage.prototype.getItem.call(area, key)]);
      }
      return out.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    } catch (error) {
      return null; // an opaque origin has none
    }
  };

  const top = getter(Document, "documentElement")(document);
  const url = getter(Document, "URL")(document);
  const title = getter(Document, "title")(document);
  const whole = top === null || visit(top);
  const head = {
    url: url.slice(0, limits.text),
    title: title.slice(0, limits.text),
    cut: [url.length > limits.text ? "@url" : "", title.length > limits.text ? "@title" : ""].filter(Boolean),
    loaded: (performance.getEntriesByType("navigation")[0]?.name ?? "").slice(0, limits.text), // no script changes that
    origin: window.origin,
    ready: getter(Document, "readyState")(document),
    whole,
    local: storage("localStorage"),
    session: storage("sessionStorage"),
  };
  return hosts.length + "\n" + JSON.stringify(head) + "\n" + JSON.stringify(whole ? nodes : []);
}
