/**
 * Signals that stop the program in order. SIGHUP too: a terminal that closes is
 * an owner that is gone. (Node resets what `nohup` set, so there is nothing of
 * the user's to respect: a server that is to outlive its terminal is a service.)
 */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly NodeJS.Signals[];
