import { RpcError } from '../../../link/rpc-error.ts';
import { StatusCode } from '../../../../proto/status-code.ts';
import { messageOf } from './follow-stream.ts';

/** How a call failed: the name of its code (`NOT_FOUND`; '' if there is none) and a sentence for people. */
export interface CallFailure {
  readonly code: string;
  readonly message: string;
}

export function callFailure(thrown: unknown): CallFailure {
  if (!(thrown instanceof RpcError)) return { code: '', message: messageOf(thrown) };
  const code = Object.entries(StatusCode).find(([, number]) => number === thrown.code)?.[0];
  return { code: code ?? String(thrown.code), message: thrown.message };
}
