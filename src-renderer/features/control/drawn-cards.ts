import { onScopeDispose, shallowReactive, shallowRef, watch, type Directive, type Ref } from 'vue';

/** Cards further than this from the visible part are not drawn yet. */
const MAX_DISTANCE_PX = 600;
/** The first cards of the list, drawn wherever they are: all cards, unless the machine is large. */
const MIN_DRAWN_CARDS = 24;

/**
 * Decides which cards of a long list are drawn: the first ones, and those that have come near the visible part. A drawn
 * card stays for as long as it is listed, so that nothing typed or held in it is lost. One card is mounted after each
 * frame: 500 at once would block the page for seconds, and within a frame it would add to the drawing of all plots.
 * @param listed names of the cards that can be drawn; a place near the visible part waits until its card is listed
 * @param urgent name of a card that is drawn at once, wherever it is
 */
export function useDrawnCards(
  scroller: Readonly<Ref<HTMLElement | null>>,
  listed: () => readonly string[],
  urgent: () => string | undefined,
) {
  const drawn = shallowReactive(new Set<string>());
  /** Names of cards whose place is near the visible part, in the order in which they came near. */
  const near = new Set<string>();
  /** Of the first {@link MIN_DRAWN_CARDS}, those that are not drawn yet. */
  const first = new Set<string>();
  let listedNames: ReadonlySet<string> = new Set();
  const observer = shallowRef<IntersectionObserver>();
  const places = new Map<Element, string>();
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Cards near the visible part come before the others. */
  const nextOf = (): string | undefined => [...near, ...first].find((name) => listedNames.has(name));

  function drawNext(): void {
    frame = 0;
    const next = nextOf();
    if (next === undefined) return;
    near.delete(next);
    first.delete(next);
    drawn.add(next);
    schedule();
  }

  function schedule(): void {
    if (frame !== 0 || nextOf() === undefined) return;
    frame = requestAnimationFrame(() => (timer = setTimeout(drawNext)));
  }

  watch(
    scroller,
    (root) => {
      observer.value?.disconnect();
      if (root === null) return;
      observer.value = new IntersectionObserver(
        (entries) => {
          for (const { target, isIntersecting } of entries) {
            const name = places.get(target);
            if (name === undefined) continue;
            if (isIntersecting) near.add(name);
            else near.delete(name);
          }
          schedule();
        },
        { root, rootMargin: `${MAX_DISTANCE_PX}px 0px` },
      );
      for (const place of places.keys()) observer.value.observe(place);
    },
    { flush: 'post' },
  );
  watch(
    [listed, urgent],
    ([names, wanted]) => {
      listedNames = new Set(names);
      for (const name of drawn) if (!listedNames.has(name)) drawn.delete(name);
      if (wanted !== undefined) drawn.add(wanted);
      first.clear();
      for (const name of names.slice(0, MIN_DRAWN_CARDS)) if (!drawn.has(name)) first.add(name);
      schedule();
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    observer.value?.disconnect();
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  });

  /** Directive for the placeholder of a card; its value is the name of the card. */
  const vPlace: Directive<HTMLElement, string> = {
    mounted(place, { value }) {
      places.set(place, value);
      observer.value?.observe(place);
    },
    updated(place, { value }) {
      places.set(place, value);
    },
    beforeUnmount(place) {
      near.delete(places.get(place) ?? '');
      places.delete(place);
      observer.value?.unobserve(place);
    },
  };
  return { isDrawn: (name: string): boolean => drawn.has(name), vPlace };
}
