// Runs in an isolated world of one frame and returns two lines of JSON, what the document is and its nodes, below a line
// that says how many elements may have a closed shadow tree and, of a text that was said before, what is left out of it.
// It looks and never acts. Whatever can be worked out from these facts (names, keys, text) is worked out elsewhere.
//
// A node is [parent, text] or [parent, tag, attributes, bits, state?]; parents are numbers of nodes, -1 for none.
// Bits: what of it can be seen, see sight.js. A shadow root is a node called "#shadow" below its host.
//
// This makes the function that walks. A world keeps it: what ran before runs twice as fast.
(sight, canvas) => {
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
  const previousElementSibling = getter(Element, "previousElementSibling");
  const data = getter(CharacterData, "data");
  const localName = getter(Element, "localName");
  const attributes = getter(Element, "attributes");
  const shadowRoot = getter(Element, "shadowRoot");
  const matches = method(Element, "matches");
  const getAttributeNames = method(Element, "getAttributeNames");
  const getAttribute = method(Element, "getAttribute");
  const item = method(NamedNodeMap, "item");
  const isContentEditable = getter(HTMLElement, "isContentEditable");
  const offsetHeight = getter(HTMLElement, "offsetHeight");
  const look = sight({ getter, method });
  const picture = canvas({ getter });
  const { TEXT_NODE, ELEMENT_NODE } = Node;

  const NO_BOX = { bits: 0, cut: 0 };
  const NO_CONTENT = new Set(["script", "style", "noscript", "template"]);
  const SECRET = /passw|secret|token|csrf|xsrf|nonce|api-?key/i; // of attributes that are dropped; nothing is lost by more
  const DROPPED = new Set(["style", "srcdoc", "nonce", "integrity"]);
  const FRAMES = new Set(["iframe", "frame", "object", "embed"]);
  const MAY_HOST = new Set(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
  );
  const secrets = Object.hasOwn(globalThis, "exactChangeSecrets") ? globalThis.exactChangeSecrets : new WeakSet();
  const closed = new WeakMap(); // host -> closed root, as the browser told us

  // Of the walk that is going on.
  let limits, owners, hosts, roots, forms, nodes, size;

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
      case "canvas":
        return picture(element, limits);
      case "details":
      case "dialog":
        return { o: element.open };
    }
  };

  const stateOf = (element, tag, names) => {
    let state = nativeState(element, tag);
    if (state !== undefined) {
      if (state.o === undefined && matches(element, ":disabled")) state.d = true;
    } else if (isContentEditable(element)) {
      const above = parentElement(element);
      if (!(above instanceof HTMLElement && isContentEditable(above))) state = { e: true };
    }
    if (names.includes("popover")) (state ??= {}).p = matches(element, ":popover-open");
    return state;
  };

  // By a name in capital letters, which only a script can give, an element of HTML is not found.
  const valueOf = (element, name, number) => getAttribute(element, name) ?? item(attributes(element), number).value;

  const attributesOf = (element, tag, names, state) => {
    const out = {};
    if (names.length > limits.attributes) {
      size = Infinity; // the browser looks for each among all of them
      return out;
    }
    for (const [number, name] of names.entries()) {
      if (name.startsWith("on") || DROPPED.has(name)) continue;
      if (name === "value" && state && state.s) continue;
      if (tag === "meta" && name === "content") continue;
      if (name.startsWith("data-") && SECRET.test(name)) continue;
      const value = valueOf(element, name, number);
      out[name] = value.length > limits.attribute ? value.slice(0, limits.attribute) : value;
      size += name.length + out[name].length + 8;
    }
    return out;
  };

  const rootOf = (element) => shadowRoot(element) ?? closed.get(element);

  // A closed shadow tree cannot be seen from here, but it shows: in a custom element, in an element that is empty and yet
  // takes up room, and in children that have no box although nothing hides them. Whether it is one, the browser knows.
  const mayHostClosed = (element, tag) =>
    tag.includes("-") || (MAY_HOST.has(tag) && firstChild(element) === null && offsetHeight(element) > 0);

  const isLeftOut = (element, tag, shown) => {
    if (shown !== "" || NO_CONTENT.has(tag)) return;
    const host = parentElement(element);
    if (!(host instanceof HTMLElement) || !MAY_HOST.has(localName(host)) || rootOf(host)) return;
    if (previousElementSibling(element) === null) hosts.push(host);
  };

  const lengthOf = (value) =>
    typeof value === "string" ? value.length : Array.isArray(value) ? value.reduce((sum, text) => sum + text.length, 0) : 0;

  // `above`, and the answer: 0 where there is no box, else 1 and how much is cut off there.
  const element = (node, tag, parent, above, hasText, hasMore) => {
    const names = getAttributeNames(node);
    const { bits, cut } = above > 0 ? look(node, tag, names, above - 1, hasText, hasMore, isLeftOut) : NO_BOX;
    const state = node instanceof HTMLElement ? stateOf(node, tag, names) : undefined;
    const record = [parent, tag, attributesOf(node, tag, names, state), bits];
    if (state !== undefined) record.push(state);
    size += 24 + tag.length + (state === undefined ? 0 : lengthOf(state.v) + lengthOf(state.f));
    if (FRAMES.has(tag)) owners.set(node, nodes.length);
    nodes.push(record);
    return bits > 0 ? 1 + cut : 0;
  };

  const visit = (top) => {
    // What is to be visited, the numbers of the nodes above, and whether those have a box and are cut off.
    const stack = [top];
    const parents = [-1];
    const boxed = [1];
    while (stack.length) {
      if (nodes.length > limits.nodes || size > limits.bytes) return false;
      const node = stack.pop();
      const parent = parents.pop();
      const above = boxed.pop();
      const number = nodes.length;
      const type = nodeType(node);
      if (type === TEXT_NODE) {
        const text = data(node);
        size += text.length + 8;
        nodes.push([parent, text]);
        continue;
      }
      const before = stack.length;
      let hasText = false;
      for (let child = lastChild(node); child !== null; child = previousSibling(child)) {
        const kind = nodeType(child);
        if (kind === ELEMENT_NODE) stack.push(child);
        else if (kind === TEXT_NODE) {
          const text = data(child);
          if (/\S/.test(text)) hasText = true;
          // White space between two neighbours keeps their words apart, and in a line of code it is the indentation.
          else if (text === "" || (text.includes("\n") && !(previousSibling(child) && nextSibling(child)))) continue;
          stack.push(child);
        }
      }
      let boxes = above;
      if (type !== ELEMENT_NODE) nodes.push([parent, "#shadow", {}, boxes > 1 ? 9 : boxes]);
      else {
        const tag = localName(node); // in lower case, also in XHTML
        const root = rootOf(node);
        boxes = element(node, tag, parent, above, hasText, stack.length > before || root);
        if (NO_CONTENT.has(tag)) stack.length = before;
        else {
          if (root) roots.push(root) && stack.push(root);
          else if (boxes && node instanceof HTMLElement && mayHostClosed(node, tag)) hosts.push(node);
        }
      }
      while (parents.length < stack.length) {
        parents.push(number);
        boxed.push(boxes);
      }
    }
    return nodes.length <= limits.nodes && size <= limits.bytes; // the last node may be the largest
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

  const rootElement = getter(Document, "documentElement");
  const urlOf = getter(Document, "URL");
  const titleOf = getter(Document, "title");
  const readyState = getter(Document, "readyState");

  const headOf = (whole) => {
    const url = urlOf(document);
    const title = titleOf(document);
    const navigation = performance.getEntriesByType("navigation")[0];
    return {
      url: url.slice(0, limits.text),
      title: title.slice(0, limits.text),
      cut: [url.length > limits.text ? "@url" : "", title.length > limits.text ? "@title" : ""].filter(Boolean),
      loaded: (navigation?.name ?? "").slice(0, limits.text), // no script changes that
      worker: Boolean(navigation?.workerStart || (navigation?.workerFinalSourceType || "network") !== "network"),
      origin: window.origin,
      ready: readyState(document),
      whole,
      local: storage("localStorage"),
      session: storage("sessionStorage"),
    };
  };

  // Defined, since a page's `<div id=exactChangeHosts>` would be found where nothing is yet.
  const keep = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true });

  // The text that was said last, under a name that no other world has. Whoever knows it is told what differs only; where
  // characters are made of two units, the two sides would count them differently.
  let last = "";
  let serial = Math.floor(Math.random() * 2 ** 52);
  const BLOCK = 4096;
  const isSimple = (text) => text.length < limits.bytes / 4 && !/[\ud800-\udfff]/.test(text);

  // How many characters two texts share from the head on (or, with the sign turned, from the tail), at most so many.
  const shared = (one, other, most, sign) => {
    const part = (text, from, count) =>
      sign > 0 ? text.slice(from, from + count) : text.slice(text.length - from - count, text.length - from);
    let count = 0;
    for (let step = BLOCK; step >= 1; step = step > 1 ? step >> 2 : 0)
      while (count + step <= most && part(one, count, step) === part(other, count, step)) count += step;
    return count;
  };

  const say = (text, known) => {
    const before = known === String(serial) ? last : "";
    const line = hosts.length + " " + (serial += 1);
    last = isSimple(text) ? text : "";
    if (before === "" || last === "") return line + "\n" + text;
    const most = Math.min(before.length, text.length);
    const head = shared(before, text, most, 1);
    const tail = shared(before, text, most - head, -1);
    return line + " " + head + " " + tail + "\n" + text.slice(head, text.length - tail);
  };

  const walk = (given, known) => {
    [limits, owners, hosts, roots, forms, nodes, size] = [given, new Map(), [], [], new Map(), [], 0];
    keep("exactChangeOwners", owners);
    keep("exactChangeHosts", hosts);
    keep("exactChangeRoots", roots);
    const top = rootElement(document);
    const whole = top === null || visit(top);
    const text = JSON.stringify(headOf(whole)) + "\n" + JSON.stringify(whole ? nodes : []);
    nodes = [];
    return say(text, known);
  };
  keep("exactChangeClosed", closed);
  keep("exactChangeWalk", walk);
  return walk;
}
