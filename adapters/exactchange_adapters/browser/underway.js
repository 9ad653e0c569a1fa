// Runs in the isolated world of one frame, after a walk, and says as a line of JSON what is under way in the document:
// its age in ms, until which age it was building itself, and what moves, each as [what, milliseconds it has to go].
() => {
  "use strict";
  // As in the walk: elements of the page are found under names of the document's own properties.
  const method = (type, name) => {
    const call = type.prototype[name];
    return (object, ...rest) => call.call(object, ...rest);
  };
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (object) => get.call(object);
  };
  const animationsOf = [Document, ShadowRoot].map((type) => method(type, "getAnimations"));
  const find = method(Document, "querySelector");
  const localName = getter(Element, "localName");
  const identity = getter(Element, "id");
  const called = (element) =>
    localName(element).slice(0, 40) + (identity(element) ? " #" + identity(element).slice(0, 40) : "");

  // What a document asks for by script while it is loaded; what it asks for again is polling, and builds nothing.
  const BUILDS = new Set(["fetch", "xmlhttprequest"]);
  const LATE = new Set(["script", "link", "css"]);
  const [SHORTEST_PAUSE, LONGEST_PAUSE] = [100, 1500];
  const FEW = 3;
  const MOST = 500;

  // Until which age a document was at work on itself: it is done once it has paused for as long as it was at work.
  const builtUntil = () => {
    const [page] = performance.getEntriesByType("navigation");
    if (page === undefined || page.domContentLoadedEventEnd === 0) return 0;
    let until = page.domContentLoadedEventEnd;
    let built = false;
    const names = new Set();
    for (const { name, initiatorType, startTime, responseEnd } of performance.getEntriesByType("resource")) {
      if (startTime - until > Math.min(Math.max(until, SHORTEST_PAUSE), LONGEST_PAUSE)) break;
      const bare = name.split("?", 1)[0];
      const late = LATE.has(initiatorType) && startTime > page.domContentLoadedEventStart;
      if (names.has(bare) || !(late || BUILDS.has(initiatorType))) continue;
      names.add(bare);
      built = true;
      until = Math.max(until, responseEnd);
    }
    return built ? until : 0;
  };

  // Of animations those that come to an end: at their end the page may look otherwise. One that never ends changes nothing.
  const ends = (animation) => {
    if (animation.playState !== "running" || !(animation.timeline instanceof DocumentTimeline)) return NaN;
    const timing = animation.effect === null ? null : animation.effect.getComputedTiming();
    if (timing === null || !Number.isFinite(timing.endTime) || animation.playbackRate === 0) return NaN;
    const now = animation.currentTime ?? 0;
    const left = animation.playbackRate > 0 ? timing.endTime - now : now;
    return left / Math.abs(animation.playbackRate);
  };

  const moving = (patience) => {
    const out = [];
    let seen = 0;
    const roots = Object.hasOwn(globalThis, "exactChangeRoots") ? globalThis.exactChangeRoots : [];
    for (const root of [document, ...roots]) {
      for (const animation of animationsOf[root === document ? 0 : 1](root)) {
        const left = ends(animation);
        const target = animation.effect?.target;
        if (left > 0 && left <= patience && target) out.push([called(target), Math.ceil(left)]);
        if (out.length >= FEW || (seen += 1) > MOST) return out;
      }
    }
    return out;
  };

  const readyState = getter(Document, "readyState");

  // It is asked after every walk, and what goes wrong with it says nothing of what was read.
  const underway = (patience) => {
    try {
      const busy = find(document, "[aria-busy=true]");
      return JSON.stringify({
        age: performance.now(),
        built: builtUntil(),
        ready: readyState(document),
        moving: moving(patience),
        busy: busy === null ? "" : called(busy),
      });
    } catch (error) {
      return "{}";
    }
  };
  Object.defineProperty(globalThis, "exactChangeUnderway", { value: underway, configurable: true });
  return underway;
}
