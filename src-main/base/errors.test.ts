import { describe, expect, it } from 'vitest';
import { ArmatureError, toArmatureError, toStatus } from './errors.ts';
import { StatusCode } from './status.ts';

describe('errors', () => {
  it('reports the status of the table for a code of ours', () => {
    const error = new ArmatureError('resource.not_found', 'no motor is called left');
    expect(toStatus(error)).toEqual({ code: StatusCode.NOT_FOUND, message: 'no motor is called left' });
  });

  it('takes an abort for a cancellation and anything else for a bug of ours', () => {
    const abort = new DOMException('gone', 'AbortError');
    expect(toArmatureError(abort).code).toBe('call.cancelled');
    expect(toArmatureError(new TypeError('x is undefined')).code).toBe('internal.bug');
    expect(toArmatureError('thrown text').message).toBe('thrown text');
  });

  it('keeps the cause', () => {
    const cause = new Error('EACCES');
    expect(toArmatureError(cause).cause).toBe(cause);
  });
});
