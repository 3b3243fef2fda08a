import { keyFromText, type AccessPolicy } from '../access/access-policy.ts';

/** Of a machine with an `auth` block: the key `key-1` with the secret `secret-1`, and the launch token `launch`. */
export const lockedPolicy: AccessPolicy = {
  authEnabled: true,
  apiKeys: [keyFromText('key-1', 'secret-1')],
  launchToken: 'launch',
  fqdn: 'bench.local',
  hostnames: [],
  allowedOrigins: [],
  allowInsecureCreds: false,
};
