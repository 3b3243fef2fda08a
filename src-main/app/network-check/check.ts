/** The result of one check. */
export interface Outcome {
  /** `note`: for information only, not a failure. */
  readonly state: 'ok' | 'note' | 'failed';
  /** What was found, or what is wrong, as a sentence without its full stop. */
  readonly found: string;
  /** What to do about it; '' where there is nothing to do. */
  readonly next: string;
}

/** One thing to check. */
export interface Check {
  /** What is checked: `DNS`, `TLS`, `STUN over UDP`. */
  readonly area: string;
  readonly target: string;
  /** Rejects with what went wrong, or with the signal's reason once that aborts. */
  run(signal: AbortSignal): Promise<Outcome>;
}

/** A line of the report. */
export interface CheckResult extends Outcome {
  readonly area: string;
  readonly target: string;
  readonly tookMs: number;
}

export function ok(found: string): Outcome {
  return { state: 'ok', found, next: '' };
}

export function note(found: string, next = ''): Outcome {
  return { state: 'note', found, next };
}

export function failed(found: string, next: string): Outcome {
  return { state: 'failed', found, next };
}

/** The error of a socket or the system, for people. */
export function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  switch (code) {
    case 'ECONNREFUSED':
      return 'refused: no program listens there';
    case 'ECONNRESET':
      return 'the other side closed the connection';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'no way there from this computer';
    case 'ENOTFOUND':
      return 'the name is not found';
    case 'EAI_AGAIN':
      return 'no DNS server answers for the name';
    default:
      // AggregateError of several addresses has a code and no message.
      return message === '' || message === undefined ? (code ?? 'failed') : message;
  }
}
