import { StatusCode } from '../../proto/status-code.ts';

export { StatusCode };

/** How a call ended. `message` is plain text; a transport encodes it for its wire. */
export interface Status {
  readonly code: StatusCode;
  readonly message: string;
}

export const OK: Status = { code: StatusCode.OK, message: '' };
