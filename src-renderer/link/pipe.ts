/** An ordered pipe of whole binary messages to the machine; the three hooks are set by who uses it. */
export interface LinkPipe {
  send(bytes: Uint8Array): void;
  /** Bytes that `send` took and that have not left the page. */
  bufferedBytes(): number;
  /** Ends it; `onClose` is called with the reason before this returns, whether the other side answers or not. */
  close(reason: string): void;
  onMessage: (bytes: Uint8Array) => void;
  /** `bufferedBytes` is smaller than it was. */
  onDrain: () => void;
  /** Called once, with a reason for people. */
  onClose: (reason: string) => void;
}

/** Makes pipes; a try that fails throws a {@link ConnectError}. */
export interface Connector {
  connect(signal: AbortSignal): Promise<LinkPipe>;
}

/** Why there is no pipe. */
export class ConnectError extends Error {
  /** The machine said no: trying again will not help before the user does something. */
  readonly isRefusal: boolean;

  constructor(message: string, isRefusal: boolean) {
    super(message);
    this.name = 'ConnectError';
    this.isRefusal = isRefusal;
  }
}
