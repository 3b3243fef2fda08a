/** An ordered pipe of whole binary messages to the machine. Its user sets the three `on...` callbacks. */
export interface LinkPipe {
  send(bytes: Uint8Array): void;
  /** Bytes passed to `send` that have not left the page. */
  bufferedBytes(): number;
  /** Closes it; calls `onClose` with the reason before it returns, without waiting for the other side. */
  close(reason: string): void;
  onMessage: (bytes: Uint8Array) => void;
  /** Called when `bufferedBytes` has become smaller. */
  onDrain: () => void;
  /** Called once, with a reason for people. */
  onClose: (reason: string) => void;
}

/** Opens pipes; a failed attempt throws a {@link ConnectError}. */
export interface Connector {
  connect(signal: AbortSignal): Promise<LinkPipe>;
}

/** Why there is no pipe. */
export class ConnectError extends Error {
  /** The machine refused: another attempt fails too until the user does something. */
  readonly isRefusal: boolean;

  constructor(message: string, isRefusal: boolean) {
    super(message);
    this.name = 'ConnectError';
    this.isRefusal = isRefusal;
  }
}
