import type { IncomingMessage } from 'node:http';

export type WebCheck =
  | { readonly ok: true; readonly corsOrigin?: string }
  | { readonly ok: false; readonly status: number; readonly message: string };

/** Checks whether a request over HTTP may be handled: its host and, where it has one, its origin. */
export interface WebAccess {
  /** `corsOrigin` is the origin to answer in `access-control-allow-origin`; absent: send no CORS headers. */
  checkRequest(request: IncomingMessage): WebCheck;
}
