// Runs in an isolated world of one frame and returns three lines of JSON: how many elements may have a closed shadow
// tree, what the document is, and its nodes.
// It looks and never acts. Whatever can be worked out from these facts (names, keys, text) is worked out elsewhere.
//
// A node is [parent, text] or [parent, tag, attributes, bits, state?]; parents are numbers of nodes, -1 for none.
// Bits: 1 it has a box, 2 its own text can be seen. A shadow root is a node called "#shadow" below its host.
(limits) => {
  "use strict";
  const NO_CONTENT = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE"]);
  const SECRET = /passw|secret|token|csrf|xsrf|nonce|api-?key/i; // of attributes that are dropped; nothing is lost by more
  const secrets = (globalThis.exactChangeSecrets ??= new WeakSet());
  const MAY_HOST = new Set(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
  );
  const owners = new Map();
  globalThis.exactChangeOwners = owners;
  const closed = (globalThis.exactChangeClosed ??= new WeakMap()); // host -> closed root, as the browser told us
  const hosts = [];
  globalThis.exactChangeHosts = hosts;
  const nodes = [];
  let size = 0;

  // Once a password field, always one: a page may show what was typed by changing the type.
  const secret = (input) => {
    if (input.type === "password") secrets.add(input);
    return secrets.has(input);
  };

  const stateOf = (element, tag) => {
    switch (tag) {
      case "INPUT": {
        const state = { t: element.type };
        if (secret(element)) state.s = 1;
        if (element.type === "checkbox" || element.type === "radio") {
          state.c = element.checked;
          state.v = element.value;
          if (element.indeterminate) state.i = true;
          if (element.form !== null) state.g = formNumber(element.form);
        } else if (element.type === "file") state.f = [...element.files].map((file) => file.name);
        else state.v = element.value;
        if (element.matches(":disabled")) state.d = true;
        return state;
      }
      case "TEXTAREA": {
        const state = { v: element.value };
        if (element.matches(":disabled")) state.d = true;
        return state;
      }
      case "SELECT": {
        const chosen = [...element.selectedOptions].map((option) => option.value);
        const state = { v: element.multiple ? chosen : chosen.length ? chosen[0] : null };
        if (element.matches(":disabled")) state.d = true;
        return state;
      }
      case "BUTTON":
        return element.matches(":disabled") ? { d: true } : {};
      case "DETAILS":
      case "DIALOG":
        return { o: element.open };
      default: {
        let state;
        if (element.isContentEditable && !(element.parentElement && element.parentElement.isContentEditable)) state = { e: true };
        if (element.hasAttribute("popover")) (state ??= {}).p = element.matches(":popover-open");
        return state;
      }
    }
  };

  const forms = new Map();
  const formNumber = (form) => {
    if (!forms.has(form)) forms.set(form, forms.size);
    return forms.get(form);
  };

  const attributesOf = (element, tag, state) => {
    const out = {};
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on") || name === "style" || name === "srcdoc" || name === "nonce" || name === "integrity") continue;
      if (name === "value" && ((state && state.s) || tag === "META")) continue;
      if (name === "content" && tag === "META") continue;
      if (name.startsWith("data-") && SECRET.test(name)) continue;
      out[name] = value.length > limits.attribute ? value.slice(0, limits.attribute) : value;
      size += name.length + 8 + Math.min(value.length, limits.attribute);
    }
    return out;
  };

  // A box of its own, or none but children that may have one; a closed <details> gives its content neither.
  const boxed = (element) => element.checkVisibility() || getComputedStyle(element).display === "contents";

  const visit = (top) => {
    const stack = [[top, -1, true]];
    while (stack.length) {
      if (nodes.length > limits.nodes || size > limits.bytes) return false;
      const [node, parent, parentBoxed] = stack.pop();
      const number = nodes.length;
      if (node.nodeType === Node.TEXT_NODE) {
        size += node.data.length + 8;
        nodes.push([parent, node.data]);
        continue;
      }
      let boxes = parentBoxed;
      if (node.nodeType === Node.ELEMENT_NODE) {
        const tag = node.tagName;
        boxes = parentBoxed && boxed(node);
        const bits = (boxes ? 1 : 0) | (boxes && hasText(node) && seen(node) ? 2 : 0);
        const state = node instanceof HTMLElement ? stateOf(node, tag) : undefined;
        const record = [parent, node.localName, attributesOf(node, tag, state), bits];
        if (state !== undefined) record.push(state);
        size += 24 + (state && typeof state.v === "string" ? state.v.length : 0);
        nodes.push(record);
        if (tag === "IFRAME" || tag === "FRAME" || tag === "OBJECT" || tag === "EMBED") owners.set(node, number);
        if (NO_CONTENT.has(tag)) continue;
      } else {
        nodes.push([parent, "#shadow", {}, boxes ? 1 : 0]);
      }
      for (let child = node.lastChild; child !== null; child = child.previousSibling)
        if (child.nodeType === Node.ELEMENT_NODE || (child.nodeType === Node.TEXT_NODE && /\S/.test(child.data)))
          stack.push([child, number, boxes]);
        else if (child.nodeType === Node.TEXT_NODE && child.data !== "" && child.previousSibling && child.nextSibling)
          stack.push([child, number, boxes]); // white space between two neighbours keeps their words apart
      if (node.nodeType === Node.ELEMENT_NODE) {
        const root = node.shadowRoot ?? closed.get(node);
        if (root) stack.push([root, number, boxes]);
        else if (boxes && mayHostClosed(node)) hosts.push(node);
      }
    }
    return true;
  };

  // A closed shadow tree cannot be seen from here, but it shows: in a custom element, in an element that is empty and yet
  // takes up room, and in children that have no box although nothing hides them. Whether it is one, the browser knows.
  const mayHostClosed = (element) => {
    const tag = element.localName;
    if (tag.includes("-")) return true;
    if (!MAY_HOST.has(tag)) return false;
    const child = element.firstElementChild;
    if (child !== null)
      return !NO_CONTENT.has(child.tagName) && !child.checkVisibility() && getComputedStyle(child).display === "";
    return element.firstChild === null && element.offsetHeight > 0;
  };

  const hasText = (element) => {
    for (let child = element.firstChild; child !== null; child = child.nextSibling)
      if (child.nodeType === Node.TEXT_NODE && /\S/.test(child.data)) return true;
    return false;
  };
  const seen = (element) =>
    getComputedStyle(element).display === "contents"
      ? true
      : !(element.tagName === "DETAILS" && !element.open) && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });

  const storage = (name) => {
    try {
      const area = window[name];
      const out = [];
      for (let number = 0; number < area.length; number++) {
        const key = area.key(number);
        out.push([key, area.getItem(key)]);
      }
      return out.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    } catch (error) {
      return null; // an opaque origin has none
    }
  };

  const whole = document.documentElement === null || visit(document.documentElement);
  const head = {
    url: document.URL.slice(0, limits.text),
    title: document.title.slice(0, limits.text),
    origin: window.origin,
    ready: document.readyState,
    whole,
    local: storage("localStorage"),
    session: storage("sessionStorage"),
  };
  return hosts.length + "\n" + JSON.stringify(head) + "\n" + JSON.stringify(whole ? nodes : []);
}
