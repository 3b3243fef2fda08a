import { AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import type { HubCredentials } from './cloud-settings.ts';
import { callPeer, type PeerCaller } from '../../rpc/peer/outbound-call.ts';
import { hubCodes } from './hub-caller.ts';

type Metadata = Readonly<Record<string, string>>;

/** The access token of this part: requested once, kept until the hub no longer accepts it. */
export class HubToken {
  readonly #credentials: HubCredentials | undefined;
  readonly #timeoutMs: number;
  /** The current request, shared by all waiting calls. */
  #asked: Promise<Metadata> | undefined;

  /** @param credentials undefined if the hub needs none */
  constructor(credentials: HubCredentials | undefined, timeoutMs: number) {
    this.#credentials = credentials;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The metadata for a call.
   * @throws {ArmatureError} `hub.refused`, `hub.unreachable`
   */
  metadata(caller: PeerCaller): Promise<Metadata> {
    if (this.#credentials === undefined) return Promise.resolve({});
    if (this.#asked === undefined) {
      const asked = this.#authenticate(caller, this.#credentials);
      this.#asked = asked;
      asked.catch(() => {
        if (this.#asked === asked) this.#asked = undefined;
      });
    }
    return this.#asked;
  }

  /** The hub refused what {@link metadata} gave. @returns whether asking again may help */
  forget(): boolean {
    const had = this.#asked !== undefined;
    this.#asked = undefined;
    return had;
  }

  async #authenticate(caller: PeerCaller, { type, entity, payload }: HubCredentials): Promise<Metadata> {
    const request = { entity, credentials: { type, payload } };
    const options = { timeoutMs: this.#timeoutMs, codes: hubCodes };
    const { accessToken } = await callPeer(caller.start, AuthServiceDefinition, 'authenticate', request, options);
    return { authorization: `Bearer ${accessToken}` };
  }
}
