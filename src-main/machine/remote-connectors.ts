import type { Clock } from '../base/clock.ts';
import type { PeerCaller } from '../rpc/peer/outbound-call.ts';
import type { RemoteConnectOptions } from './remotes/remote-connect.ts';

/** How a machine may reach others. */
export interface RemoteRules {
  /** Certificates in PEM to trust for other machines besides the usual authorities; '' for none. */
  readonly authority: string;
  /** `-webrtc`: connections use WebRTC if the other machine supports it. */
  readonly usesWebRtc: boolean;
  /** `-allow-insecure-creds`: keys for other machines may be sent in clear text. */
  readonly allowsInsecureCreds: boolean;
}

/**
 * The connectors to other machines. Their code is loaded with the first connection: few machines have remotes.
 * @param hub makes a connection to the hub of this machine; undefined without one
 */
export function remoteConnectors(
  { authority, usesWebRtc, allowsInsecureCreds }: RemoteRules,
  clock: Clock,
  hub: (() => Promise<PeerCaller>) | undefined,
): Pick<RemoteConnectOptions, 'open' | 'webrtc' | 'allowsInsecureCreds'> {
  return {
    allowsInsecureCreds,
    open: async (address) => {
      const [{ openGrpcCaller }, { setTcpUserTimeout }] = await Promise.all([
        import('../rpc/peer/grpc-caller.ts'),
        import('../hardware/tcp-user-timeout.ts'),
      ]);
      return openGrpcCaller(address, { authority, setTcpUserTimeout });
    },
    webrtc: usesWebRtc
      ? {
          hub,
          dial: async (options) => {
            const [library, { dial }] = await Promise.all([
              import('node-datachannel'),
              import('../rpc/webrtc/dial.ts'),
            ]);
            return dial({ ...options, library, clock });
          },
        }
      : undefined,
  };
}
