export interface PickOption {
  readonly value: string;
  readonly label: string;
  /** A less prominent word at the end: `pin 11`, `used by 4`. */
  readonly detail?: string;
  /** Options of a group stand under its name. */
  readonly group?: string;
  readonly isDisabled?: boolean;
}

export interface PickGroup {
  /** '' for options without a group. */
  readonly name: string;
  readonly options: readonly PickOption[];
}

export interface PickedOptions {
  readonly groups: readonly PickGroup[];
  /** Matches that are not listed. */
  readonly left: number;
}

/** Rendering more options than this helps nobody and takes longer than a frame. */
const MAX_LISTED = 100;

const folded = (text: string): string => text.trim().toLocaleLowerCase();

/** 0: the whole label or value, 1: starts with it, 2: contains it (also in detail or group); undefined: no match. */
function rank(option: PickOption, wanted: string): number | undefined {
  const names = [folded(option.label), folded(option.value)];
  if (names.includes(wanted)) return 0;
  if (names.some((name) => name.startsWith(wanted))) return 1;
  const all = [...names, folded(option.detail ?? ''), folded(option.group ?? '')];
  return wanted.split(/\s+/).every((word) => all.some((text) => text.includes(word))) ? 2 : undefined;
}

/** The options that match a typed text, best first in each group; groups in the order of their best match. */
export function pickOptions(options: readonly PickOption[], typed: string): PickedOptions {
  const wanted = folded(typed);
  const ranked = options.flatMap((option) => {
    const place = wanted === '' ? 2 : rank(option, wanted);
    return place === undefined ? [] : [{ option, place }];
  });
  ranked.sort((a, b) => a.place - b.place);
  const groups = new Map<string, PickOption[]>();
  for (const { option } of ranked.slice(0, MAX_LISTED)) {
    const name = option.group ?? '';
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [option]);
    else group.push(option);
  }
  return {
    groups: [...groups].map(([name, members]) => ({ name, options: members })),
    left: Math.max(0, ranked.length - MAX_LISTED),
  };
}

/** The option whose whole value or label is the typed text. */
export function optionNamed(options: readonly PickOption[], typed: string): PickOption | undefined {
  const wanted = folded(typed);
  return (
    options.find(({ value }) => value === typed.trim()) ??
    options.find(({ label, isDisabled }) => folded(label) === wanted && isDisabled !== true)
  );
}
