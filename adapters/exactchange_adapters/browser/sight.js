// What a person can see of an element, asked of the browser's own layout; a part of the walk (walk.js).
//
// Bits: 1 it has a box; 2 its own text is laid out and not hidden; 4 it is a line of its own by its style, though not by
// its tag; 8 nobody can see its own text all the same: cut off, off the screen, clear, of no size; 16 it is a box within
// a line, whose words are read apart from those around it.
(ask) => {
  "use strict";
  const { getter, method } = ask; // both ask the prototype, see walk.js
  const checkVisibility = method(Element, "checkVisibility");
  const boundsOf = method(Element, "getBoundingClientRect");
  const offsetWidth = getter(HTMLElement, "offsetWidth");
  const offsetHeight = getter(HTMLElement, "offsetHeight");
  const scrollLeft = getter(Element, "scrollLeft");
  const scrollTop = getter(Element, "scrollTop");
  const parentNode = getter(Node, "parentNode");
  const assignedSlot = getter(Element, "assignedSlot");
  const hostOf = getter(ShadowRoot, "host");

  const BOXED = 1, SEEN = 2, APART = 4, CUT = 8, INSET = 16;
  // How what is cut off may come out: by a place of its own, by one on the screen only, not at all.
  const NOT_CUT = 0, BY_PLACE = 1, ON_SCREEN = 2, NEVER = 3;
  const ILLEGIBLE = 4; // and, beside that, letters of no size, which what is in it has as well
  const RENDERED = { visibilityProperty: true };
  const VISIBLE = { visibilityProperty: true, opacityProperty: true };
  // Their words stand apart whatever their style; what a table is made of has a box that no style of these takes.
  const LINES = new Set(
    ("address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form " +
      "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section select " +
      "summary table tbody td tfoot th thead tr ul").split(" "),
  );
  const NO_WORDS = new Set(["option", "select", "optgroup", "datalist", "head", "title", "textarea"]);
  const ROOTS = new Set(["html", "body"]);
  const NO_INDENT = "0px";
  const FAR = -500; // px: no first line begins so far to the left to be read

  const isInline = (display) => display.startsWith("inline") || display === "contents" || display.startsWith("ruby");

  const numbersOf = (text, unit) =>
    [...text.matchAll(/(-?[\d.]+)(px|%)/g)].map(([, number, own]) => (own === unit || +number === 0 ? +number : NaN));

  // Of the ways of giving a shape those that leave nothing: all other shapes may show what is in them.
  const isShapedAway = (path) => {
    if (path.startsWith("inset(")) {
      const [top, right = top, bottom = top, left = right] = numbersOf(path.split(" round ")[0], "%");
      return top + bottom >= 100 || left + right >= 100;
    }
    return /^(circle|ellipse)\(0(px|%)?[ )]/.test(path);
  };

  const isClippedAway = (clip) => {
    const [top, right, bottom, left] = numbersOf(clip, "px");
    return right - left <= 1 || bottom - top <= 1;
  };

  const above = (element) => {
    const slot = assignedSlot(element);
    if (slot !== null) return slot;
    const parent = parentNode(element);
    return parent instanceof ShadowRoot ? hostOf(parent) : parent instanceof Element ? parent : null;
  };

  // Left of the page or above it: where it stands once everything around it is scrolled back to the start.
  const isOff = (element, style) => {
    const { left, top, right, bottom, width, height } = boundsOf(element);
    const isBefore = (end, size) => end < 0 || (end <= 0 && size > 0);
    if (style.position === "fixed")
      return isBefore(right, width) || isBefore(bottom, height) || left >= innerWidth || top >= innerHeight;
    if (!isBefore(right, width) && !isBefore(bottom, height)) return false;
    let [x, y] = [right, bottom];
    for (let around = above(element); around !== null; around = above(around)) {
      x += scrollLeft(around);
      y += scrollTop(around);
      if (getComputedStyle(around).flexDirection.endsWith("reverse")) return false; // it scrolls the other way
    }
    return (isBefore(x, width) && style.direction !== "rtl") || isBefore(y, height);
  };

  const cutOf = (element, tag, display, style, cut) => {
    const { position, clipPath } = style;
    if (clipPath !== "none" && isShapedAway(clipPath)) return NEVER;
    if (position !== "static") {
      if (cut === BY_PLACE ? position === "absolute" || position === "fixed" : cut === ON_SCREEN && position === "fixed")
        cut = NOT_CUT;
      if (cut === NOT_CUT && isOff(element, style)) cut = BY_PLACE;
      if ((position === "absolute" || position === "fixed") && style.clip !== "auto" && isClippedAway(style.clip)) return NEVER;
    }
    if (cut === NOT_CUT && style.overflowX !== "visible" && !ROOTS.has(tag) && display !== "inline")
      if (offsetHeight(element) <= 1 || offsetWidth(element) <= 1) return position === "static" ? BY_PLACE : ON_SCREEN;
    return cut;
  };

  const isIllegible = (style) =>
    style.fontSize === "0px" || (style.textIndent !== NO_INDENT && parseFloat(style.textIndent) <= FAR);

  // To ask for more than a box costs no more, and the answer is nearly always yes.
  const boxOf = (element, tag, hasText, leftOut) => {
    const shut = tag === "details" && !element.open;
    if (hasText && checkVisibility(element, VISIBLE)) return shut ? BOXED : BOXED | SEEN;
    if (checkVisibility(element)) return hasText && !shut && checkVisibility(element, RENDERED) ? BOXED | SEEN | CUT : BOXED;
    const { display, visibility } = getComputedStyle(element);
    if (display === "contents") return hasText && !shut && visibility === "visible" ? BOXED | SEEN : BOXED;
    leftOut(element, tag, display);
    return 0;
  };

  // Answers the bits of an element, and what is cut off in it. `cut`: what is cut off around it. Styles are dear, so they
  // are asked for only where there is something in an element, and of what nothing tells from its like by no more than
  // whether it stands apart.
  const sight = { bits: 0, cut: NOT_CUT };
  const look = (element, tag, names, cut, hasText, hasMore, leftOut) => {
    let bits = boxOf(element, tag, hasText, leftOut);
    if (bits !== 0 && (hasText || hasMore) && !NO_WORDS.has(tag) && element instanceof HTMLElement) {
      const isMarked = names.length > 0 || tag === "button";
      const isLine = LINES.has(tag);
      if (isMarked || !isLine) {
        const style = getComputedStyle(element);
        const { display } = style;
        if (!isLine) bits |= isInline(display) ? (display.startsWith("inline-") ? INSET : 0) : APART;
        if (isMarked) {
          cut &= ~ILLEGIBLE;
          if (display !== "contents") cut = cutOf(element, tag, display, style, cut);
          if (isIllegible(style)) cut |= ILLEGIBLE;
        }
      }
    }
    if (bits & SEEN && cut !== NOT_CUT) bits |= CUT;
    sight.bits = bits;
    sight.cut = cut;
    return sight;
  };
  return look;
}
