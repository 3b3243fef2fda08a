/** Sets TCP_USER_TIMEOUT, which ends connections whose network went silent (`rpc/port/tcp-timeouts.ts`). It needs the addon: elsewhere it does nothing. */
export { limitUnanswered as setTcpUserTimeout } from '../../native/index.js';
