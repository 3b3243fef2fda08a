import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret, signatureHeaders } from './signature.ts';

describe('the signature of a webhook', () => {
  it('is the one of the example in Standard Webhooks', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
    expect(signatureHeaders(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is made with each secret, also without a body', () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const expected = secrets.map((secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      expect(key).toHaveLength(32);
      return `v1,${createHmac('sha256', key).update('msg_1.7.').digest('base64')}`;
    });
    const headers = signatureHeaders({ id: 'msg_1', timestamp: 7, body: '' }, secrets);
    expect(headers['webhook-signature']).toBe(expected.join(' '));
  });
});
