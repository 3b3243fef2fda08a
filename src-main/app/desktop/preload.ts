/**
 * The bridge between the page and the program: one way to ask for a message
 * channel, nothing else. No decisions here; the sandbox stays whole.
 */
import { contextBridge, ipcRenderer } from 'electron';

/** The one thing of the page's world that is used here; the rest of the DOM stays out of the program's types. */
declare const window: { postMessage(message: unknown, targetOrigin: string, transfer: readonly unknown[]): void };

const CONNECT = 'armature:connect';

contextBridge.exposeInMainWorld('armature', {
  /**
   * Asks for a channel. The port arrives as a `message` event of the window
   * with data `armature:port` (a port cannot cross the bridge as a value).
   * @param part leads to that part of the fleet; '' is this machine
   */
  connect(part: string): void {
    const { port1, port2 } = new MessageChannel();
    ipcRenderer.postMessage(CONNECT, part, [port2]);
    window.postMessage('armature:port', '*', [port1]);
  },
});
