import { ConnectError, type Connector, type LinkPipe } from '../pipe.ts';

/** The receiver acknowledges after this many bytes. */
const ACKNOWLEDGE_BYTES = 65_536;

/**
 * Connects over message ports, in the desktop window.
 * @param connect returns a new port whose other end the main process serves
 */
export function portConnector(connect: () => Promise<MessagePort>): Connector {
  return {
    async connect(signal) {
      const port = await connect();
      if (signal.aborted) {
        port.close();
        throw new ConnectError('the link was closed', false);
      }
      return new PortPipe(port);
    },
  };
}

/** A port does not say how much is buffered in it, so each side posts the number of bytes it has received. */
class PortPipe implements LinkPipe {
  onMessage: (bytes: Uint8Array) => void = () => undefined;
  onDrain: () => void = () => undefined;
  onClose: (reason: string) => void = () => undefined;
  readonly #port: MessagePort;
  #unacknowledgedBytes = 0;
  #takenBytes = 0;
  #isClosed = false;

  constructor(port: MessagePort) {
    this.#port = port;
    port.addEventListener('close', () => this.#ended('the program closed the connection'));
    port.onmessage = ({ data }) => this.#receive(data);
  }

  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#unacknowledgedBytes += bytes.length;
    this.#port.postMessage(bytes);
  }

  bufferedBytes(): number {
    return this.#unacknowledgedBytes;
  }

  close(reason: string): void {
    this.#port.close();
    this.#ended(reason);
  }

  #receive(data: unknown): void {
    if (typeof data === 'number') {
      this.#unacknowledgedBytes -= data;
      this.onDrain();
    } else if (data instanceof Uint8Array) {
      this.onMessage(data);
      this.#takenBytes += data.length;
      if (this.#takenBytes < ACKNOWLEDGE_BYTES) return;
      this.#port.postMessage(this.#takenBytes);
      this.#takenBytes = 0;
    }
  }

  #ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onClose(reason);
  }
}
