// What is drawn on a canvas, as a picture without loss; a part of the walk (walk.js).
//
// A canvas is never asked for its way of drawing: to ask one that has none yet would settle it for good. What WebGL drew
// is gone once it was shown, unless the page keeps it, so that a blank canvas may be one that shows something.
(ask) => {
  "use strict";
  const { getter } = ask; // asks the prototype, see walk.js
  const widthOf = getter(HTMLCanvasElement, "width");
  const heightOf = getter(HTMLCanvasElement, "height");
  const toDataURL = HTMLCanvasElement.prototype.toDataURL;
  const createElement = Document.prototype.createElement;
  const MOST_SIZES = 16;
  const blanks = new Map();
  let walk, left;

  // A canvas of its own that nobody else has, once for each size.
  const blank = (width, height) => {
    const size = width + " " + height;
    if (!blanks.has(size)) {
      if (blanks.size >= MOST_SIZES) blanks.clear();
      const own = createElement.call(document, "canvas");
      [own.width, own.height] = [width, height];
      blanks.set(size, toDataURL.call(own));
    }
    return blanks.get(size);
  };

  return (canvas, limits) => {
    if (walk !== limits) [walk, left] = [limits, limits.pixels];
    const [width, height] = [widthOf(canvas), heightOf(canvas)];
    if (width * height === 0) return { x: "blank" };
    left -= width * height;
    if (left < 0) return { y: "it is too large to read" };
    try {
      const picture = toDataURL.call(canvas);
      if (picture === "data:,") return { y: "it is too large to read" };
      return { x: picture === blank(width, height) ? "blank" : picture };
    } catch (error) {
      return { y: "it shows a picture of another site, and no page may read it back" };
    }
  };
}
