/**
 * Signals that stop the program in order. SIGHUP too: the terminal was closed, so
 * the owner is gone. (Node resets what `nohup` set, so that cannot be respected:
 * a server that should outlive its terminal must be a service.)
 */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly NodeJS.Signals[];
