import path from 'node:path';

/** What is mounted for a module, in order: parents before their contents. */
export interface MountStep {
  /** `hide` mounts an empty folder over it; `show` makes a hidden one visible again. */
  readonly kind: 'hide' | 'show';
  readonly path: string;
  readonly isReadOnly: boolean;
}

export interface FolderAccess {
  /** Existing folders whose contents the module must not see. */
  readonly hidden: readonly string[];
  /** Folders that the module needs, wherever they are. */
  readonly shown: readonly string[];
  /** The same, but read-only. */
  readonly shownReadOnly: readonly string[];
}

/** Whether a folder is the other one, or inside it. */
export function isWithin(inner: string, outer: string): boolean {
  const relative = path.relative(outer, inner);
  return relative === '' || (relative !== '..' && !relative.startsWith('../') && !path.isAbsolute(relative));
}

/** Orders the steps and drops those without effect: showing what is not hidden, and hiding inside a hidden folder. */
export function mountSteps({ hidden, shown, shownReadOnly }: FolderAccess): readonly MountStep[] {
  const requested: MountStep[] = [
    ...hidden.map((one) => ({ kind: 'hide' as const, path: one, isReadOnly: false })),
    ...shownReadOnly.map((one) => ({ kind: 'show' as const, path: one, isReadOnly: true })),
    ...shown.map((one) => ({ kind: 'show' as const, path: one, isReadOnly: false })),
  ];
  // A folder that is requested as both is shown.
  const last = new Map(requested.map((step) => [step.path, step]));
  const ordered = [...last.values()].sort((left, right) => left.path.length - right.path.length);
  const steps: MountStep[] = [];
  for (const step of ordered) {
    const around = steps.findLast((earlier) => isWithin(step.path, earlier.path));
    const isHidden = around?.kind === 'hide';
    if (step.kind === 'hide' ? !isHidden : isHidden || around?.isReadOnly === true) steps.push(step);
  }
  return steps;
}

/** The first unused descriptor of one digit, which every `sh` can name. */
const FIRST_DESCRIPTOR = 3;

/**
 * A script for `sh` in a mount namespace of its own, which runs the steps, changes the folder and executes its
 * arguments. Hidden folders are opened first, so that parts of them can still be mounted from there.
 */
export function mountScript(steps: readonly MountStep[], workFolder: string): string {
  const hidden = steps.filter(({ kind }) => kind === 'hide');
  const descriptor = (step: MountStep): number => FIRST_DESCRIPTOR + hidden.indexOf(step);
  return [
    'set -e',
    ...hidden.map((step) => `exec ${descriptor(step)}<${quoted(step.path)}`),
    ...steps.flatMap((step) => {
      const place = quoted(step.path);
      if (step.kind === 'hide') return [`mount -n -t tmpfs -o mode=755,size=1m armature ${place}`];
      const around = hidden.findLast((one) => isWithin(step.path, one.path));
      if (around === undefined) return [];
      const source = quoted(`/proc/self/fd/${descriptor(around)}/${path.relative(around.path, step.path)}`);
      return [`mkdir -p ${place}`, `mount -n -c -o ${step.isReadOnly ? 'bind,ro' : 'bind'} ${source} ${place}`];
    }),
    ...hidden.map((step) => `exec ${descriptor(step)}<&-`),
    `cd ${quoted(workFolder)}`,
    'exec "$@"',
  ].join('\n');
}

/** Quotes a text as one word for `sh`. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
