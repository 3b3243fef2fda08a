import { onScopeDispose, shallowReactive, shallowRef, watch, type Directive, type Ref } from 'vue';

/** Cards further than this from what is seen are not drawn yet. */
const nearPx = 600;
/** So many are drawn wherever they stand: of a machine that is not large all. */
const drawnAlways = 24;

/**
 * Which cards of a long list are drawn: the first ones, and those that have come near to what is seen, and then for as
 * long as they are listed (what somebody typed or holds in them must not go away). One is drawn in a frame: of 500 at
 * once nobody could do anything for seconds.
 * @param listed those that can be drawn: a place that is near waits until it is among them
 * @param urgent one that is wanted wherever it stands
 */
export function useDrawnCards(
  scroller: Readonly<Ref<HTMLElement | null>>,
  listed: () => readonly string[],
  urgent: () => string | undefined,
) {
  const drawn = shallowReactive(new Set<string>());
  /** Places whose card may be drawn, in the order of their coming near. */
  const near = new Set<string>();
  /** Of the first ones those that are not drawn yet. */
  const first = new Set<string>();
  let present: ReadonlySet<string> = new Set();
  const observer = shallowRef<IntersectionObserver>();
  const places = new Map<Element, string>();
  let frame = 0;

  /** What is seen comes before what is not. */
  const nextOf = (): string | undefined => [...near, ...first].find((name) => present.has(name));

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
    if (frame === 0 && nextOf() !== undefined) frame = requestAnimationFrame(drawNext);
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
        { root, rootMargin: `${nearPx}px 0px` },
      );
      for (const place of places.keys()) observer.value.observe(place);
    },
    { flush: 'post' },
  );
  watch(
    [listed, urgent],
    ([names, wanted]) => {
      present = new Set(names);
      for (const name of drawn) if (!present.has(name)) drawn.delete(name);
      if (wanted !== undefined) drawn.add(wanted);
      first.clear();
      for (const name of names.slice(0, drawnAlways)) if (!drawn.has(name)) first.add(name);
      schedule();
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    observer.value?.disconnect();
    cancelAnimationFrame(frame);
  });

  /** On what stands where a card will be; its value is the name of the card. */
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
