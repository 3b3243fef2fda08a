/** A pin that a call has driven itself. */
export interface PinTarget {
  readonly kind: 'pin';
  /** Full name of the board. */
  readonly board: string;
  readonly pin: string;
  /** How the pin was last driven; its safe value is low, duty 0 or value 0. */
  readonly drivenAs: 'gpio' | 'pwm' | 'analog';
}

/** An output: it stays as it was commanded until another command. */
export type OutputTarget = { readonly kind: 'resource'; readonly resource: string } | PinTarget;

/** The target as a person reads it. */
export function describeTarget(target: OutputTarget): string {
  return target.kind === 'resource' ? target.resource : `pin ${target.pin} of ${target.board}`;
}

/** An owner of commanded outputs that may end: a session, a connection. */
export class OutputOwner {
  /** Whether every pin that it drove ends with it, not only those that are held by themselves. */
  readonly holdsPins: boolean;
  /** Outputs with a claim of this owner. */
  readonly outputs = new Set<Output>();
  hasEnded = false;
  /** Once it has ended: whether what it commanded is to be stopped. */
  stopsOutputs = true;

  constructor(holdsPins: boolean) {
    this.holdsPins = holdsPins;
  }
}

/** An output whose owner is gone, and who the owner was. */
export interface Orphan {
  readonly target: OutputTarget;
  readonly owner: OutputOwner | undefined;
}

interface Output {
  readonly key: string;
  /** The claim of the latest command. */
  head: Claim | undefined;
}

/** The commands of one owner to an output since the last command of another: those that run, and whether any took effect. */
export interface Claim {
  readonly output: Output;
  /** Undefined for a caller whose end cannot be observed. */
  readonly owner: OutputOwner | undefined;
  /** As the latest command named it; of a pin, every way of driving it ends at the same safe level. */
  target: OutputTarget;
  /** Commands whose calls are under way. */
  running: number;
  /** Whether a command had its effect. */
  isSettled: boolean;
  /** A later claim took effect, or all of this one was refused: it no longer counts. */
  isDropped: boolean;
  /** The claim before this one; kept until this one is known to have had its effect. */
  previous: Claim | undefined;
}

/**
 * Who commanded each output last. A command counts from its arrival; one that
 * is refused gives the output back to its previous owner, so that a caller's
 * mistake never takes a moving motor from its owner. The cost does not depend
 * on the number of resources, and nothing is kept of owners that have ended.
 */
export class OutputClaims {
  readonly #outputs = new Map<string, Output>();

  /** Outputs that have an owner. */
  get size(): number {
    return this.#outputs.size;
  }

  /** Records the arrival of a command. Undefined where there is nothing to remember. */
  claim(key: string, target: OutputTarget, owner: OutputOwner | undefined): Claim | undefined {
    let output = this.#outputs.get(key);
    if (output === undefined) {
      if (owner === undefined) return undefined;
      output = { key, head: undefined };
      this.#outputs.set(key, output);
    }
    const { head } = output;
    if (head !== undefined && head.owner === owner) {
      head.target = target;
      head.running++;
      return head;
    }
    const claim: Claim = { output, owner, target, running: 1, isSettled: false, isDropped: false, previous: head };
    output.head = claim;
    owner?.outputs.add(output);
    return claim;
  }

  /**
   * A command of the claim had its effect. Returns what must be stopped: its
   * owner went away while the command was still running.
   */
  settle(claim: Claim): Orphan | undefined {
    claim.running--;
    if (claim.isDropped) return undefined;
    claim.isSettled = true;
    let older = claim.previous;
    claim.previous = undefined;
    for (; older !== undefined; older = older.previous) this.#drop(older);
    return this.#resolveHead(claim.output);
  }

  /**
   * A command of the claim was refused. Returns what must be stopped: the
   * output falls back to an owner that has gone away since.
   */
  withdraw(claim: Claim): Orphan | undefined {
    claim.running--;
    if (claim.isDropped) return undefined;
    if (!claim.isSettled && claim.running === 0) this.#unlink(claim);
    return this.#resolveHead(claim.output);
  }

  /** The owner went away. Returns everything it commanded last; to be stopped where `stopsOutputs`. */
  end(owner: OutputOwner, stopsOutputs: boolean): OutputTarget[] {
    owner.hasEnded = true;
    owner.stopsOutputs = stopsOutputs;
    const targets: OutputTarget[] = [];
    for (const output of owner.outputs) {
      const { head } = output;
      if (head?.owner !== owner) continue;
      targets.push(head.target);
      if (head.running === 0) this.#remove(output, head);
    }
    owner.outputs.clear();
    return targets;
  }

  /** The latest claim if its owner has ended, to be stopped. Removed once none of its commands runs. */
  #resolveHead(output: Output): Orphan | undefined {
    const { head } = output;
    if (head === undefined) {
      this.#outputs.delete(output.key);
      return undefined;
    }
    const { owner } = head;
    if (!head.isSettled || (owner !== undefined && !owner.hasEnded)) return undefined;
    if (head.running === 0) this.#remove(output, head);
    return owner?.stopsOutputs === true ? head : undefined;
  }

  #unlink(claim: Claim): void {
    const { output } = claim;
    if (output.head === claim) {
      output.head = claim.previous;
    } else {
      let newer = output.head;
      while (newer !== undefined && newer.previous !== claim) newer = newer.previous;
      if (newer !== undefined) newer.previous = claim.previous;
    }
    claim.previous = undefined;
    this.#drop(claim);
  }

  #remove(output: Output, head: Claim): void {
    output.head = undefined;
    this.#drop(head);
    this.#outputs.delete(output.key);
  }

  #drop(claim: Claim): void {
    claim.isDropped = true;
    const { owner, output } = claim;
    if (owner === undefined) return;
    for (let other = output.head; other !== undefined; other = other.previous) {
      if (other !== claim && other.owner === owner) return;
    }
    owner.outputs.delete(output);
  }
}
