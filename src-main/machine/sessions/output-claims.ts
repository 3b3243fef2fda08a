/** A pin that a call has driven directly. */
export interface PinTarget {
  readonly kind: 'pin';
  /** Full name of the board. */
  readonly board: string;
  readonly pin: string;
  /** How the pin was last driven; its safe value is low, duty 0 or value 0. */
  readonly drivenAs: 'gpio' | 'pwm' | 'analog';
}

/** A commanded output: it keeps its command until the next one. */
export type OutputTarget = { readonly kind: 'resource'; readonly resource: string } | PinTarget;

/** The target, for people. */
export function describeTarget(target: OutputTarget): string {
  return target.kind === 'resource' ? target.resource : `pin ${target.pin} of ${target.board}`;
}

/** An owner of commanded outputs that may end: a session, a connection. */
export class OutputOwner {
  /** Whether all pins that it drove are made safe at its end, not only held ones. */
  readonly holdsPins: boolean;
  /** Outputs that this owner has claims on. */
  readonly outputs = new Set<Output>();
  hasEnded = false;
  /** After its end: whether the outputs it commanded are to be stopped. */
  stopsOutputs = true;

  constructor(holdsPins: boolean) {
    this.holdsPins = holdsPins;
  }
}

/** An output whose owner has ended, and that owner. */
export interface Orphan {
  readonly target: OutputTarget;
  readonly owner: OutputOwner | undefined;
}

interface Output {
  readonly key: string;
  /** The claim of the latest command. */
  head: Claim | undefined;
}

/**
 * The commands of one owner to an output since the last command of another owner: the running ones, and whether any
 * took effect.
 */
export interface Claim {
  readonly output: Output;
  /** Undefined for a caller whose end cannot be observed. */
  readonly owner: OutputOwner | undefined;
  /** As the latest command named it; for a pin, all ways of driving it end at the same safe level. */
  target: OutputTarget;
  /** Commands that are running. */
  running: number;
  /** Whether a command took effect. */
  isSettled: boolean;
  /** A later claim took effect, or all commands of this one were refused: it no longer counts. */
  isDropped: boolean;
  /** The previous claim; kept until this one has taken effect. */
  previous: Claim | undefined;
}

/**
 * Records the last owner of each output. A command counts from its arrival. A refused command gives the output back to
 * its previous owner, so a caller's mistake never takes a moving motor from its owner. The cost does not depend on the
 * number of resources, and nothing is kept about owners that have ended.
 */
export class OutputClaims {
  readonly #outputs = new Map<string, Output>();

  /** Outputs that have an owner. */
  get size(): number {
    return this.#outputs.size;
  }

  /** Records the arrival of a command. Undefined if there is nothing to record. */
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
   * A command of the claim took effect. Returns what must be stopped: its owner ended while the command was running.
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
   * A command of the claim was refused. Returns what must be stopped: the output's previous owner has ended in the
   * meantime.
   */
  withdraw(claim: Claim): Orphan | undefined {
    claim.running--;
    if (claim.isDropped) return undefined;
    if (!claim.isSettled && claim.running === 0) this.#unlink(claim);
    return this.#resolveHead(claim.output);
  }

  /** The owner ended. Returns every output that it commanded last; to be stopped if `stopsOutputs`. */
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

  /**
   * The latest claim if its owner has ended; its output is to be stopped. Removed when none of its commands is running.
   */
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
