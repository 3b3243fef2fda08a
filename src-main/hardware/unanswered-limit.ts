/** What ends connections whose network went silent (`rpc/port/silent-peer.ts`). It needs the addon: elsewhere it does nothing. */
export { limitUnanswered } from '../../native/index.js';
