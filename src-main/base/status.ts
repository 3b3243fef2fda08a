import { StatusCode } from '../../proto/status-code.ts';

export { StatusCode };

/** How a call ended. `message` is plain text; each transport encodes it. */
export interface Status {
  readonly code: StatusCode;
  readonly message: string;
}

export const OK: Status = { code: StatusCode.OK, message: '' };
