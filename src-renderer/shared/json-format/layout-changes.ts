/** At offset `from` of a text up to `to`, other white space stands. */
export interface SpaceChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

const space = /\s*/y;

/**
 * The changes of white space that turn one text into the other, in order; undefined if anything else differs. A cursor
 * between them stays at its word.
 */
export function layoutChanges(from: string, to: string): readonly SpaceChange[] | undefined {
  const changes: SpaceChange[] = [];
  let [at, there] = [0, 0];
  while (at < from.length || there < to.length) {
    if (from[at] === to[there]) {
      at += 1;
      there += 1;
      continue;
    }
    const [end, endThere] = [spaceEnd(from, at), spaceEnd(to, there)];
    if (end === at && endThere === there) return undefined;
    changes.push({ from: at, to: end, insert: to.slice(there, endThere) });
    [at, there] = [end, endThere];
  }
  return changes;
}

function spaceEnd(text: string, at: number): number {
  space.lastIndex = at;
  space.test(text);
  return space.lastIndex;
}
