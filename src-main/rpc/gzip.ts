import { gunzip } from 'node:zlib';
import { ArmatureError } from '../base/errors.ts';

/**
 * Inflates a compressed request.
 * @param maxBytes the inflated message may have no more
 * @throws ArmatureError `call.too_large`, or `call.bad_argument` for bytes that are not gzip
 */
export function inflate(bytes: Uint8Array, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: maxBytes }, (error, inflated) => {
      if (error === null) {
        resolve(inflated);
      } else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
        const message = `The message has more than ${maxBytes} bytes once inflated.`;
        reject(new ArmatureError('call.too_large', message, { cause: error, details: { maxBytes } }));
      } else {
        const message = `The compressed message cannot be inflated: ${error.message}.`;
        reject(new ArmatureError('call.bad_argument', message, { cause: error }));
      }
    });
  });
}
