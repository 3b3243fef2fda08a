/**
 * An ordered pipe of whole messages to one peer, which carries a message channel. The channel sets the three `on` hooks
 * before `start`.
 */
export interface MessagePipe {
  /** Queues one message. Does nothing after the pipe has closed. */
  send(bytes: Uint8Array): void;
  /** Bytes passed to `send` that have not left this program. */
  bufferedBytes(): number;
  /** Starts delivering messages. */
  start(): void;
  /** Stops delivering messages until `resume`, so that the peer must slow down. */
  pause(): void;
  resume(): void;
  /** Ends the pipe; `onClose` follows. Codes are those of RFC 6455. */
  close(code: number, reason: string): void;
  onMessage: (bytes: Uint8Array) => void;
  /** Data has left: `bufferedBytes` is smaller than before. */
  onDrain: () => void;
  /** Called once. */
  onClose: (reason: string) => void;
}

/** Close codes of RFC 6455 that the channel uses. */
export const CloseCode = {
  GOING_AWAY: 1001,
  PROTOCOL_ERROR: 1002,
  UNSUPPORTED_DATA: 1003,
  POLICY_VIOLATION: 1008,
} as const;

/** Sending pauses while this many bytes wait in the pipe. */
export const HIGH_WATER_BYTES = 1_048_576;

/** Data bytes of one packet on a carrier that has no limit of its own (WebSocket, MessagePort). */
export const PACKET_BYTES = 65_000;
