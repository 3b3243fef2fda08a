import { nextTick, onScopeDispose, ref, type Ref } from 'vue';
import { Turns } from './turns.ts';

/** Several parts in each frame, so that a form is whole soon; with one part more, a task has its 50 ms. */
const MOUNTING_MS = 12;

const waiting = new Set<() => void>();
let isRunning = false;

/** The next task after a frame. A hidden page draws none: there it is the next task. */
function afterFrame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}

async function run(): Promise<void> {
  isRunning = true;
  try {
    while (waiting.size > 0) {
      await afterFrame();
      const turns = new Turns(MOUNTING_MS);
      for (const mount of waiting) {
        mount();
        // What it mounts is mounted now, so that its time counts.
        await nextTick();
        waiting.delete(mount);
        if (turns.isOver) break;
      }
    }
  } finally {
    isRunning = false;
  }
}

/**
 * Calls `mount` after a frame: in the order of asking, as many in one frame as leave time to draw it. So a large screen
 * is drawn from its top, and takes keys, before all of it is there.
 * @returns what takes the request back
 */
export function mountLater(mount: () => void): () => void {
  waiting.add(mount);
  if (!isRunning) void run();
  return () => void waiting.delete(mount);
}

/** Whether parts of the page are still to be mounted: what is not found may come with them. */
export function isMounting(): boolean {
  return waiting.size > 0;
}

/**
 * How many items of a long list to mount: the first `step` at once, then as many more in each part, until all are there.
 * From then on it is infinite: an item that is added is mounted at once.
 * @param step at least 1
 */
export function useGrowing(length: () => number, step: number): Readonly<Ref<number>> {
  const count = ref(step);
  let takeBack = (): void => undefined;

  function grow(): void {
    if (count.value >= length()) {
      count.value = Infinity;
      return;
    }
    takeBack = mountLater(() => {
      count.value += step;
      grow();
    });
  }

  grow();
  onScopeDispose(() => takeBack());
  return count;
}
