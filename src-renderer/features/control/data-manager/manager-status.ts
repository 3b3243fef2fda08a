/** The status of a machine's data manager (GetStatus), as `machine/capture/session.ts` writes it. */
export interface ManagerStatus {
  readonly folder: string;
  readonly capturing: readonly Capturing[];
  readonly waiting_bytes: number;
  readonly lost_readings: number;
  readonly disk_error: string;
  readonly sync: {
    readonly is_allowed: boolean;
    readonly reason: string;
    readonly uploaded: number;
    readonly refused: number;
    readonly error: string;
    readonly last_upload: string | null;
  };
}

interface Capturing {
  readonly resource: string;
  readonly method: string;
  readonly frequency_hz: number;
  readonly captured: number;
  readonly missed: number;
  readonly error: string;
}

/** Undefined where the result has another form: the status of another model can be anything. */
export function managerStatus(result: Readonly<Record<string, unknown>> | undefined): ManagerStatus | undefined {
  const isOne = Array.isArray(result?.['capturing']) && typeof result['sync'] === 'object' && result['sync'] !== null;
  return isOne ? (result as unknown as ManagerStatus) : undefined;
}
