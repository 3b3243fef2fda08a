import type { ResourceNode } from '../node.ts';
import type { ResourceStatus } from '../state.ts';

/** The result of a plan. */
export interface ApplyResult {
  readonly revision: string;
  /**
   * Whether a newer plan arrived before this one was carried out. The touched resources may then follow the newer plan.
   */
  readonly isSuperseded: boolean;
  /** Every resource that the plan touched, directly or through a dependency, with its status when all had settled. */
  readonly statuses: readonly ResourceStatus[];
  /** Full names of removed resources. */
  readonly removed: readonly string[];
}

interface PendingApply {
  readonly revision: string;
  readonly touched: ReadonlySet<ResourceNode>;
  readonly waiting: Set<ResourceNode>;
  isSuperseded: boolean;
  readonly resolve: (result: ApplyResult) => void;
}

/** The plans being carried out. Each stays until everything it touched has settled. */
export class PendingApplies {
  readonly #pending = new Set<PendingApply>();

  add(revision: string, touched: ReadonlySet<ResourceNode>): Promise<ApplyResult> {
    for (const apply of this.#pending) apply.isSuperseded = true;
    const waiting = new Set([...touched].filter(({ isSettling }) => isSettling));
    return new Promise((resolve) => {
      const apply: PendingApply = { revision, touched, waiting, isSuperseded: false, resolve };
      this.#pending.add(apply);
      this.#finishIfSettled(apply);
    });
  }

  settled(nodes: ReadonlySet<ResourceNode>): void {
    for (const apply of this.#pending) {
      for (const node of nodes) apply.waiting.delete(node);
      this.#finishIfSettled(apply);
    }
  }

  #finishIfSettled(apply: PendingApply): void {
    if (apply.waiting.size > 0) return;
    this.#pending.delete(apply);
    const { revision, isSuperseded } = apply;
    const touched = [...apply.touched];
    apply.resolve({
      revision,
      isSuperseded,
      statuses: touched.filter(({ desired }) => desired !== undefined).map(({ status }) => status),
      removed: touched.filter(({ desired }) => desired === undefined).map(({ fullName }) => fullName),
    });
  }
}
