/** The object that the desktop program adds to its window. */
interface DesktopBridge {
  /** Asks for a channel; its port comes as a `message` event with the data `armature:port`. */
  connect(part: string): void;
}

const portMessage = 'armature:port';

/**
 * Returns a function that gets a message port from the desktop program; undefined in a browser.
 * @param part the part of the fleet to reach; '' is the machine of the program
 */
export function desktopPort(part = ''): (() => Promise<MessagePort>) | undefined {
  const bridge = (window as unknown as { readonly armature?: DesktopBridge }).armature;
  if (bridge === undefined) return undefined;
  return () =>
    new Promise((resolve) => {
      const onMessage = (event: MessageEvent): void => {
        const [port] = event.ports;
        if (event.source !== window || event.data !== portMessage || port === undefined) return;
        window.removeEventListener('message', onMessage);
        resolve(port);
      };
      window.addEventListener('message', onMessage);
      bridge.connect(part);
    });
}
